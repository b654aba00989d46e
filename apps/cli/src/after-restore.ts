import { table } from '@codase/command-line';
import type { AuditEntry } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import type { DatabaseAddress } from '@codase/runtime/db';
import { readExported } from './exported-audit.ts';
import type { Outcome } from './operator/operator-command.ts';

type Reports = typeof import('@codase/platform');
type FrontDoorReport = Awaited<ReturnType<Reports['afterRestore']>>;
type RegionReport = Awaited<ReturnType<Reports['afterRegionRestore']>>;

/** Repairs the restored database directly, because no front door starts on a database that is older than its restore mark. */
export async function afterFrontDoorRestore(bus: Bus, own: DatabaseAddress, audit: string | undefined): Promise<Outcome> {
  const [platform, { openDatabase }] = await Promise.all([import('@codase/platform'), import('@codase/runtime/db')]);
  const exported = await readExported(audit, 'front-door');
  const frontDoor = await openDatabase({ ...own, name: 'after-restore', pool: 1, entities: platform.FRONT_DOOR_ENTITIES });
  try {
    const result = await platform.afterRestore({ frontDoor, bus, exported }, new Date());
    return { result, said: describeFrontDoor(result) };
  } finally {
    await frontDoor.destroy();
  }
}

interface RestoredRegion {
  region: string;
  own: DatabaseAddress;
  frontDoor: DatabaseAddress;
  audit: string | undefined;
}

/** Does the same for the database of a region. */
export async function afterRegionRestore(bus: Bus, { region, own, frontDoor: theirs, audit }: RestoredRegion): Promise<Outcome> {
  const [platform, { openDatabase }] = await Promise.all([import('@codase/platform'), import('@codase/runtime/db')]);
  const delegates_added: AuditEntry[] = [];
  const also = (entry: AuditEntry) => (entry.act === 'delegate.added' ? void delegates_added.push(entry) : undefined);
  const exported = await readExported(audit, region, { also });
  const opened = await Promise.all([
    openDatabase({ ...own, name: 'after-restore', pool: 1, entities: platform.REGION_ENTITIES }),
    openDatabase({ ...theirs, name: 'after-restore', pool: 1, entities: platform.FRONT_DOOR_ENTITIES }),
  ]);
  const [db, frontDoor] = opened;
  try {
    const result = await platform.afterRegionRestore({ region, db, frontDoor, bus, exported, delegates_added }, new Date());
    return { result, said: describeRegion(region, result, audit !== undefined) };
  } finally {
    await Promise.all(opened.map((one) => one.destroy()));
  }
}

const ids = (list: readonly string[]): string => list.join(' ') || 'none';
const age = ({ was_older }: { was_older: boolean }): string =>
  was_older ? 'The database is older than what the bus has seen of it.' : 'The bus knows of nothing that the database does not.';

const lost = ({ acts_lost }: { acts_lost: readonly string[] }): string[] =>
  acts_lost.length > 0 ? ['Look whether these have to be done again:', ...acts_lost] : [];

function describeFrontDoor(report: FrontDoorReport): string {
  return [
    age(report),
    table([
      ['sessions ended', String(report.sessions_ended)],
      ['clients that need a new secret', ids(report.clients_without_secret)],
      ['of these, clients whose keys must be put again', ids(report.clients_without_keys)],
      ['clients deleted again', ids(report.clients_deleted)],
      ['clients to be registered again', ids(report.clients_lost)],
      ['clients disabled again', ids(report.clients_disabled)],
      ['accounts deleted again', ids(report.accounts_deleted)],
      ['accounts disabled again', ids(report.accounts_disabled)],
      ['accounts with their later level', ids(report.accounts_with_level)],
      ['accounts sent to their later region', ids(report.accounts_moved)],
      ['field types put again', ids(report.field_types_put)],
      ['verification providers as they were last', ids(report.verification_providers)],
    ]),
    ...lost(report),
    'Start the front door now: it publishes its tables.',
  ].join('\n');
}

function describeRegion(region: string, report: RegionReport, hasExport: boolean): string {
  return [
    age(report),
    table([
      ['services that are deleted again', ids(report.services_deleted)],
      ['webhooks deleted again', ids(report.webhooks_deleted)],
      ['connections ended again', ids(report.connections_ended)],
      ['enrolments revoked again', ids(report.enrolments_revoked)],
      ['delegates removed again', ids(report.delegates_removed)],
      ['delegates who accepted noted again', ids(report.delegates_accepted)],
      ['grants to delegates revoked again', ids(report.grants_revoked)],
      ['grants whose key is taken back again', ids(report.keys_withdrawn)],
      ['grants whose key is shown as read again', ids(report.keys_read)],
      ['delegates of companies elsewhere, noted again', ids(report.delegates_noted)],
      ['verifications ended again', ids(report.verifications_ended)],
      ['challenges closed', String(report.challenges_closed)],
      ['accounts that the front door has deleted again', ids(report.accounts_deleted)],
      ['accounts that live elsewhere now', ids(report.accounts_moved)],
      ['accounts that are lost here', ids(report.accounts_lost)],
    ]),
    ...lost(report),
    ...(hasExport ? [] : ['Without --audit FILE nobody knows which webhooks were deleted since, and which connections were ended.']),
    'What was changed otherwise since the backup is lost: values, requests, settings of services and webhooks.',
    `Start the region ${region} and the delivery now.`,
  ].join('\n');
}
