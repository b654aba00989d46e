import { AUDIT_DONE, restoreMark, type AuditEntry } from '@codase/contracts';
import { ProjectionReader, ProjectionWriter, type Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { deletionsAfter, repeatDeletions } from '../accounts/account-deletion/index.ts';
import { renewLogs } from '../foundation/app-events/index.ts';
import { asOperator, Audit, isRestored, lastPosition, raiseEpoch, RESTORE_MARKS, timeOfLast } from '../foundation/audit/index.ts';
import { closeAfterRestore, revokeAgain } from '../sharing/challenges/index.ts';
import { ClientsStore } from '../access/clients/index.ts';
import { endConnection, lockById } from '../sharing/connections/index.ts';
import {
  noteDelegatingAgain,
  noteKeyReadAgain,
  removeDelegateAgain,
  revokeGrantAgain,
  withdrawKeyAgain,
} from '../sharing/delegates/index.ts';
import { AccountsStore } from '../access/identity/index.ts';
import { ProfilesStore, setHome, unknownDeletions } from '../foundation/regions/index.ts';
import { noteDeletions, servicesAfter } from '../services/services/index.ts';
import { findWebhookById, removeWebhook } from '../services/webhooks/index.ts';
import { actsAfter } from './after-restore.service.ts';

/** What was done after an older copy of a region's database was restored. Everything is named by its id. */
export interface RegionRestoreReport {
  /** Whether the bus knew of acts that the database does not know. */
  was_older: boolean;
  /** Services that were deleted after this copy was made. The region deletes them again when it starts. */
  services_deleted: string[];
  /** Webhooks that were deleted after this copy was made, and are deleted again. */
  webhooks_deleted: string[];
  /** Connections that ended after this copy was made, and are ended again. */
  connections_ended: string[];
  /** Enrolments that were revoked after this copy was made, and are revoked again. */
  enrolments_revoked: string[];
  /** Delegates that were removed, or left, after this copy was made, and are removed again. */
  delegates_removed: string[];
  /** Grants to delegates that were revoked after this copy was made, and are revoked again. */
  grants_revoked: string[];
  /** Grants whose key was taken back after this copy was made, and is taken back again. */
  keys_withdrawn: string[];
  /** Grants whose key was first read after this copy was made, and is shown to the company as read again. */
  keys_read: string[];
  /** Delegates, of companies in other regions, whose home region has forgotten where to look for the delegation. It is noted again. */
  delegates_noted: string[];
  /**
   * The number of challenges that were open, or whose outcome was not delivered yet. They are closed, so that none of them counts as
   * approved.
   */
  challenges_closed: number;
  /** Accounts that moved away after this copy was made. Their rows here are old, and nothing is done with them. */
  accounts_moved: string[];
  /** Accounts that were deleted after this copy was made. The front door asks the region once more to delete them, when both run. */
  accounts_deleted: string[];
  /**
   * Accounts that moved here or signed up after this copy was made. The front door sends them here, and the database has nothing of them.
   */
  accounts_lost: string[];
  /** Other acts of the exported audit that the database does not know. The operator has to decide whether to do them again. */
  acts_lost: string[];
}

export interface RestoredRegion {
  region: string;
  db: DataSource;
  /** The database of the front door, which was not restored, or was reconciled before. */
  frontDoor: DataSource;
  bus: Bus;
  /** The exported audit of this region; empty when there is none. */
  exported: readonly AuditEntry[];
  /** Who became a delegate, by the exported audits of all regions; empty when there are none. */
  delegates_added: readonly AuditEntry[];
}

const BATCH = 500;
/** Acts that are not listed as lost: they are done again by the id of their object, so that doing them twice changes nothing. */
const REPEATED: readonly string[] = [
  'account.deleted',
  'service.deleted',
  'webhook.deleted',
  'connection.ended',
  'enrolment.revoked',
  'delegate.removed',
  'delegate.left',
  'delegate.revoked',
  'delegate.key_read',
  'delegate.key_withdrawn',
  'audit.exported',
  // Every challenge that was not over is closed.
  'challenge.answered',
];

/**
 * Reconciles a region's database after an older copy was restored: repeats later deletions that the front door and the exported audit know
 * of, and lists the rest. Run it while the region and the delivery do not run. It may be repeated.
 */
export async function afterRegionRestore(restored: RestoredRegion, now: Date): Promise<RegionRestoreReport> {
  const { region, db, bus } = restored;
  const was_older = await isRestored(db, bus, silentLog, region);
  const marks = await ProjectionReader.open(bus, RESTORE_MARKS, silentLog);
  const mark = marks.get(restoreMark(region));
  await marks.close();

  const accounts_deleted = await deletedSince(restored);
  const report = await db.transaction((tx) => {
    const restore = new RegionRestore(restored, tx, now);
    return asOperator(async () => {
      const acts_lost = await restore.actsLost();
      await raiseEpoch(tx, mark?.epoch ?? 0);
      await renewLogs(tx);
      const repeated = await restore.repeatDeletions();
      const homes = await restore.compareHomes(accounts_deleted);
      const done = { ...repeated, ...homes, delegates_noted: await restore.noteDelegates(), accounts_deleted, acts_lost };
      await restore.audit.record(tx, { act: 'restore.reconciled', object: region });
      return { was_older, ...done };
    });
  });
  await repeatDeletions(restored.frontDoor, accounts_deleted, region, now);
  const { epoch, txid, seq } = await lastPosition(db);
  await (await ProjectionWriter.open(bus, RESTORE_MARKS)).put(restoreMark(region), { epoch, txid, seq });
  return report;
}

/** Returns the accounts that were deleted and that this database does not know as deleted. */
async function deletedSince({ db, frontDoor }: RestoredRegion): Promise<string[]> {
  const unknown: string[] = [];
  for (let some = await deletionsAfter(frontDoor, '', BATCH); some.length > 0; some = await deletionsAfter(frontDoor, some.at(-1)!, BATCH))
    unknown.push(...(await unknownDeletions(db, some)));
  return unknown;
}

class RegionRestore {
  readonly audit: Audit;
  private readonly done: readonly AuditEntry[];

  constructor(
    private readonly restored: RestoredRegion,
    private readonly tx: EntityManager,
    private readonly now: Date,
  ) {
    this.audit = new Audit(restored.db, { addresses: 'none', retentionYears: 1 }, { now: () => now }, silentLog);
    this.done = restored.exported.filter(({ outcome }) => outcome === AUDIT_DONE);
  }

  /**
   * Repeats what the exported audit knows of deletions, and of the keys of grants. Ids are never used again, so everything that was deleted
   * at any time is deleted now.
   */
  async repeatDeletions() {
    return {
      services_deleted: await this.deleteServices(),
      webhooks_deleted: await this.each('webhook.deleted', (id) => this.deleteWebhook(id)),
      enrolments_revoked: await this.each('enrolment.revoked', (id) => this.revokeEnrolment(id)),
      delegates_removed: [
        ...(await this.each('delegate.removed', (id) => this.removeDelegate(id))),
        ...(await this.each('delegate.left', (id) => this.removeDelegate(id))),
      ],
      grants_revoked: await this.each('delegate.revoked', (id) => this.revokeGrant(id)),
      keys_withdrawn: await this.withdrawKeys(),
      keys_read: await this.each('delegate.key_read', (id, at) => this.noteKeyRead(id, at)),
      connections_ended: await this.each('connection.ended', (id) => this.endConnection(id)),
      challenges_closed: await closeAfterRestore(this.tx, this.now),
    };
  }

  /**
   * Compares the users who live here with the home regions that the front door has for them. No rows are deleted: the front door may be
   * wrong too.
   */
  async compareHomes(deleted: readonly string[]) {
    const living = await this.livingHere();
    const gone = new Set(deleted);
    const moved: string[] = [];
    const profiles = new ProfilesStore(this.restored.db);
    for await (const { user_id, home } of batches(
      (last) => profiles.after(last, BATCH, this.tx),
      ({ user_id: id }) => id,
    )) {
      if (living.has(user_id) && home !== 'arriving') living.delete(user_id);
      else if (!living.has(user_id) && !gone.has(user_id) && home !== 'arriving') {
        await setHome(this.tx, user_id, 'arriving', null); // then nothing is written or delivered, and a move to here begins with nothing
        moved.push(user_id);
      }
    }
    return { accounts_moved: moved, accounts_lost: [...living] };
  }

  /**
   * Notes again which companies elsewhere have users of this region as delegates. The homes were compared before: a company that has moved
   * away is elsewhere.
   */
  async noteDelegates(): Promise<string[]> {
    const noted: string[] = [];
    for (const { outcome, account_id, object, details } of this.restored.delegates_added) {
      const user_id = details['user_id'];
      if (outcome !== AUDIT_DONE || !account_id || !object || typeof user_id !== 'string') continue;
      if (await noteDelegatingAgain(this.tx, user_id, account_id)) noted.push(object);
    }
    return noted;
  }

  /** Returns the acts after the end of the database's own audit that cannot be done again by an id. */
  async actsLost(): Promise<string[]> {
    return actsAfter(await timeOfLast(this.tx), this.done, REPEATED);
  }

  private async livingHere(): Promise<Set<string>> {
    const { frontDoor, region } = this.restored;
    const accounts = new AccountsStore(frontDoor);
    const living = new Set<string>();
    for await (const user_id of batches(
      (last) => accounts.livingIn(region, last, BATCH),
      (id) => id,
    ))
      living.add(user_id);
    return living;
  }

  private async deleteServices(): Promise<string[]> {
    const clients = new ClientsStore(this.restored.frontDoor);
    const gone = new Set(this.objects('service.deleted').keys());
    const ids: string[] = [];
    for await (const { service_id } of batches(
      (last) => servicesAfter(this.tx, last, BATCH),
      (own) => own.service_id,
    ))
      ids.push(service_id);
    for (let from = 0; from < ids.length; from += BATCH)
      for (const id of await clients.withdrawnAmong(ids.slice(from, from + BATCH))) gone.add(id);
    const noted = await noteDeletions(this.tx, [...gone], this.now);
    for (const { company_user_id, service_id } of noted) await this.record('service.deleted', company_user_id, service_id);
    return noted.map(({ service_id }) => service_id);
  }

  private async deleteWebhook(webhook_id: string): Promise<boolean> {
    const webhook = await findWebhookById(this.tx, webhook_id);
    if (!webhook) return false;
    await removeWebhook(this.tx, webhook);
    await this.record('webhook.deleted', webhook.company_user_id, webhook_id);
    return true;
  }

  private async endConnection(connection_id: string): Promise<boolean> {
    const connection = await lockById(this.tx, connection_id);
    if (!connection) return false;
    await endConnection(this.tx, connection, this.now);
    await this.record('connection.ended', connection.company_user_id, connection_id);
    return true;
  }

  private async revokeEnrolment(enrolment_id: string): Promise<boolean> {
    const enrolment = await revokeAgain(this.tx, enrolment_id);
    if (!enrolment) return false;
    await this.record('enrolment.revoked', enrolment.company_user_id, enrolment_id);
    return true;
  }

  private async removeDelegate(delegate_id: string): Promise<boolean> {
    const removed = await removeDelegateAgain(this.tx, delegate_id);
    if (removed) await this.record('delegate.removed', removed.company_user_id, delegate_id);
    return removed !== undefined;
  }

  private async revokeGrant(grant_id: string): Promise<boolean> {
    const revoked = await revokeGrantAgain(this.tx, grant_id);
    if (revoked) await this.record('delegate.revoked', revoked.company_user_id, grant_id);
    return revoked !== undefined;
  }

  /** Takes keys back from grants, unless the company has handed the key over once more since. */
  private async withdrawKeys(): Promise<string[]> {
    const last = new Map(
      this.done.flatMap(({ act, object }) => (act === 'delegate.granted' || act === 'delegate.key_withdrawn' ? [[object, act]] : [])),
    );
    return this.each('delegate.key_withdrawn', async (grant_id) => {
      const withdrawn = last.get(grant_id) === 'delegate.key_withdrawn' ? await withdrawKeyAgain(this.tx, grant_id) : undefined;
      if (withdrawn) await this.record('delegate.key_withdrawn', withdrawn.company_user_id, grant_id);
      return withdrawn !== undefined;
    });
  }

  private async noteKeyRead(grant_id: string, at: string): Promise<boolean> {
    const read = await noteKeyReadAgain(this.tx, grant_id, new Date(at));
    if (read) await this.record('delegate.key_read', read.company_user_id, grant_id);
    return read !== undefined;
  }

  /** Repeats an act for each object. `repeat` gets the time when it was done first, and returns whether it changed anything. */
  private async each(act: string, repeat: (id: string, at: string) => Promise<boolean>): Promise<string[]> {
    const repeated: string[] = [];
    for (const [id, at] of this.objects(act)) if (await repeat(id, at)) repeated.push(id);
    return repeated;
  }

  /** Returns the objects to which an act was done, each with the time of the first one. */
  private objects(wanted: string): Map<string, string> {
    const found = new Map<string, string>();
    for (const { act, object, at } of this.done) if (act === wanted && object !== null && !found.has(object)) found.set(object, at);
    return found;
  }

  private record(act: Repeated, account_id: string, object: string): Promise<void> {
    return this.audit.record(this.tx, { act, account_id, object, details: { reason: 'restore' } });
  }
}

type Repeated =
  | 'service.deleted'
  | 'webhook.deleted'
  | 'connection.ended'
  | 'enrolment.revoked'
  | 'delegate.removed'
  | 'delegate.revoked'
  | 'delegate.key_withdrawn'
  | 'delegate.key_read';

/** Yields rows in the order of their keys, and reads a batch at a time. */
async function* batches<Row>(after: (last: string) => Promise<Row[]>, keyOf: (row: Row) => string): AsyncGenerator<Row> {
  for (let last: string | undefined = ''; last !== undefined;) {
    const rows: Row[] = await after(last);
    yield* rows;
    last = rows.length < BATCH ? undefined : keyOf(rows.at(-1)!);
  }
}
