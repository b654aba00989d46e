import { isDeepStrictEqual } from 'node:util';
import { AUDIT_DONE, restoreMark, type AuditAct, type AuditEntry, type FieldTypeRow } from '@codase/contracts';
import { ProjectionReader, ProjectionWriter, type Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { addDeletion, DELETED_ACCOUNTS, endDeletionCodes } from '../accounts/account-deletion/index.ts';
import { EmailChangesStore, endEmailCodes } from '../access/account-changes/index.ts';
import { AccountMailStore } from '../access/account-mail/index.ts';
import { asOperator, Audit, isRestored, lastPosition, raiseEpoch, RESTORE_MARKS, timeOfLast } from '../foundation/audit/index.ts';
import { CLIENTS, ClientsStore, type ClientRow, type EntitledRow } from '../access/clients/index.ts';
import { AccountsStore, removeAccount } from '../access/identity/index.ts';
import { reconcileMoves, type MovedCompany } from '../storage/moves/index.ts';
import { MODES, setRegionMode } from '../foundation/regions/index.ts';
import { endRecoveryCodes } from '../accounts/recovery/index.ts';
import { FIELD_TYPES, FieldTypesStore } from '../services/registry/index.ts';
import { forgetTrustedBrowsers } from '../access/second-factor/index.ts';
import { forgetOldEnrolments, forgetSignInSteps } from '../accounts/sign-in/index.ts';
import { ALL_SESSIONS, REVOCATIONS, SessionsStore } from '../access/tokens/index.ts';

/** What was done after an older copy of the front door's database was restored. Everything is named by its id. */
export interface RestoreReport {
  /** Whether the bus knew of acts that the database does not know. */
  was_older: boolean;
  /** Clients whose secret was replaced after this copy was made. The old secret is refused, so they need a new one. */
  clients_without_secret: string[];
  /** Clients that were deleted after this copy was made, and are deleted again. */
  clients_deleted: string[];
  /** Clients that were registered after this copy was made, and are gone: register them again. */
  clients_lost: string[];
  /** Accounts that were disabled after this copy was made, or all of whose clients were, and are disabled again. */
  accounts_disabled: string[];
  clients_disabled: string[];
  /** Accounts whose level was changed after this copy was made, and is set again. */
  accounts_with_level: string[];
  /** Accounts that moved after this copy was made, and get their new home region again. */
  accounts_moved: string[];
  /** Accounts that were deleted after this copy was made, and are deleted again: the regions are asked once more. */
  accounts_deleted: string[];
  /** Field types that were put after this copy was made, and are put again. */
  field_types_put: string[];
  sessions_ended: number;
  /** Other acts of the exported audit that the database does not know. The operator has to decide whether to do them again. */
  acts_lost: string[];
}

export interface RestoredFrontDoor {
  frontDoor: DataSource;
  bus: Bus;
  /** The exported audit of the front door; undefined when there is none. */
  exported?: readonly AuditEntry[];
}

/** Acts that are not listed as lost: the buckets on the bus or the end of all sessions make up for them. */
const MADE_UP_FOR: readonly AuditAct[] = [
  'account.deleted',
  'account.deletion_requested',
  'account.disabled',
  'account.email_change_requested',
  'account.enabled',
  'account.password_checked',
  'account.recovery_code_requested',
  'account.recovery_reset',
  'account.secret_recovered',
  'audit.exported',
  'client.created',
  'client.deleted',
  'client.disabled',
  'client.enabled',
  'client.secret_replaced',
  'field_type.put',
  'level.changed',
  'mode.changed',
  'second_factor.begun',
  'second_factor.code_checked',
  'session.ended',
  'sessions.ended',
  'sign_in',
  'token.revoked',
  'trusted_device.added',
  'trusted_device.removed',
];

/** What an older copy brings back although it may have been used or ended since. */
const FORGOTTEN = [forgetOldEnrolments, forgetTrustedBrowsers, forgetSignInSteps, endEmailCodes, endDeletionCodes, endRecoveryCodes];

const BATCH = 500;

/**
 * Reconciles the front door's database after an older copy was restored: repeats later revocations that the buckets on the bus still know.
 * All sessions end and all users sign in again, since nobody knows which sessions were ended. Run it while no front door runs. It may be
 * repeated.
 */
export async function afterRestore({ frontDoor, bus, exported = [] }: RestoredFrontDoor, now: Date): Promise<RestoreReport> {
  const was_older = await isRestored(frontDoor, bus, silentLog);
  const [clients, modes, fieldTypes, marks, deleted] = await Promise.all([
    ProjectionReader.open(bus, CLIENTS, silentLog),
    ProjectionReader.open(bus, MODES, silentLog),
    ProjectionReader.open(bus, FIELD_TYPES, silentLog),
    ProjectionReader.open(bus, RESTORE_MARKS, silentLog),
    ProjectionReader.open(bus, DELETED_ACCOUNTS, silentLog),
  ]);
  try {
    const restore = new Restore(frontDoor, now);
    const acts = exported.filter(({ outcome }) => outcome === AUDIT_DONE);
    const report = await frontDoor.transaction(async (tx) => {
      const acts_lost = actsAfter(await timeOfLast(tx), acts, MADE_UP_FOR);
      await raiseEpoch(tx, marks.get(restoreMark())?.epoch ?? 0);
      return asOperator(async () => {
        // Only when the bus is newer than the database: a bus that was restored itself, or is new, knows nothing better than the tables.
        const done = was_older ? await restore.reconcile(tx, clients.all()) : structuredClone(NOTHING);
        await restore.disableAgain(tx, acts, done);
        await restore.deleteAgain(tx, [...deleted.all().map(({ user_id }) => user_id), ...deletedIn(acts)], done);
        if (was_older) for (const mode of modes.all()) await setRegionMode(tx, mode);
        const field_types_put = was_older ? await restore.putFieldTypes(tx, fieldTypes.all()) : [];
        await restore.reconcileMoves(tx);
        for (const forget of FORGOTTEN) await forget(tx);
        const sessions_ended = await restore.endSessions(tx);
        await restore.audit.record(tx, { act: 'restore.reconciled', details: { sessions: sessions_ended } });
        return { was_older, ...done, field_types_put, sessions_ended, acts_lost };
      });
    });
    await publish(bus, now, { lost: report.clients_lost, position: await lastPosition(frontDoor) });
    return report;
  } finally {
    await Promise.all([clients, modes, fieldTypes, marks, deleted].map((rows) => rows.close()));
  }
}

type Reconciled = Omit<RestoreReport, 'was_older' | 'field_types_put' | 'sessions_ended' | 'acts_lost'>;
const NOTHING: Reconciled = {
  clients_without_secret: [],
  clients_deleted: [],
  clients_lost: [],
  accounts_disabled: [],
  clients_disabled: [],
  accounts_with_level: [],
  accounts_moved: [],
  accounts_deleted: [],
};

const RESTORED = { reason: 'restore' };

/**
 * Returns the companies all of whose clients are disabled. Nobody knows whether the company itself was disabled; an operator can enable it
 * again.
 */
function companiesDisabled(published: readonly ClientRow[]): string[] {
  const enabled = new Set(published.filter(({ disabled }) => !disabled).map(({ company_user_id }) => company_user_id));
  const companies = new Set(published.map(({ company_user_id }) => company_user_id));
  return [...companies].flatMap((user_id) => (user_id === null || enabled.has(user_id) ? [] : [user_id]));
}

/** Returns the accounts that were deleted. Ids are never used again, so an account that was deleted at any time is deleted now. */
const deletedIn = (acts: readonly AuditEntry[]): string[] =>
  acts.flatMap(({ act, object }) => (act === 'account.deleted' && object !== null ? [object] : []));

/** Returns the accounts or clients that were disabled after they were last enabled. */
function disabledLast(acts: readonly AuditEntry[], what: 'account' | 'client'): string[] {
  const last = new Map<string, string>();
  for (const { act, object, account_id } of acts) {
    const id = what === 'client' ? object : (account_id ?? object);
    if (id !== null && (act === `${what}.disabled` || act === `${what}.enabled`)) last.set(id, act);
  }
  return [...last].flatMap(([id, act]) => (act === `${what}.disabled` ? [id] : []));
}

/** Returns the acts after the end of the database's own audit, without those of some kinds, as lines of text for people. */
export function actsAfter(end: Date | undefined, acts: readonly AuditEntry[], leftOut: readonly string[]): string[] {
  const lost = acts.filter(({ at, act }) => at > (end?.toISOString() ?? '') && !leftOut.includes(act));
  return lost.map(({ at, act, account_id, object }) => [...new Set([at, act, account_id, object])].filter(Boolean).join(' '));
}

class Restore {
  readonly audit: Audit;
  private readonly clients: ClientsStore;
  private readonly accounts: AccountsStore;
  private readonly mails: AccountMailStore;
  private readonly emailChanges: EmailChangesStore;
  private readonly sessions: SessionsStore;
  private readonly fieldTypes: FieldTypesStore;
  private readonly moved: MovedCompany[] = [];

  constructor(
    db: DataSource,
    private readonly now: Date,
  ) {
    this.audit = new Audit(db, { addresses: 'none', retentionYears: 1 }, { now: () => now }, silentLog);
    this.clients = new ClientsStore(db);
    this.accounts = new AccountsStore(db);
    this.mails = new AccountMailStore(db);
    this.emailChanges = new EmailChangesStore(db, this.mails);
    this.sessions = new SessionsStore(db);
    this.fieldTypes = new FieldTypesStore(db);
  }

  endSessions(tx: EntityManager): Promise<number> {
    return this.sessions.endAll(this.now, tx);
  }

  /** Reconciles the moves. The accounts must have got the home regions that they moved to before. */
  reconcileMoves(tx: EntityManager): Promise<void> {
    const regionOf = async (user_id: string) => (await this.accounts.find(user_id, tx))?.region;
    return reconcileMoves(tx, { moved: this.moved, regionOf, now: this.now });
  }

  /**
   * Puts the published field types that the database does not have in this form. Types are put and never deleted, so every type that was
   * published later is right.
   */
  async putFieldTypes(tx: EntityManager, published: readonly FieldTypeRow[]): Promise<string[]> {
    const stored = new Map((await this.fieldTypes.all(tx)).map((row) => [row.type, row]));
    const missed = published.filter((row) => !isDeepStrictEqual(row, stored.get(row.type)));
    for (const row of missed) {
      await this.fieldTypes.put(row, tx);
      await this.audit.record(tx, { act: 'field_type.put', object: row.type, details: RESTORED });
    }
    return missed.map(({ type }) => type);
  }

  /** Compares each client of the table with what was published of it last. */
  async reconcile(tx: EntityManager, published: readonly ClientRow[]): Promise<Reconciled> {
    const newest = new Map(published.map((row) => [row.client_id, row]));
    const done = structuredClone(NOTHING);
    if (newest.size === 0) throw new Error('The bucket of clients is empty, so it does not say which were deleted: restore the bus too.');
    for (let last: string | undefined = ''; last !== undefined;) {
      const stored: readonly EntitledRow[] = await this.clients.after(last, BATCH, tx);
      for (const client of stored) await this.reconcileClient(tx, client, newest.get(client.client_id), done);
      for (const { client_id } of stored) newest.delete(client_id);
      last = stored.length < BATCH ? undefined : stored.at(-1)!.client_id;
    }
    for (const user_id of companiesDisabled(published)) await this.disableAccount(tx, user_id, done);
    return { ...done, clients_lost: [...newest.keys()] };
  }

  /**
   * Disables the clients and accounts that were disabled last, by the exported audit, which also knows persons and companies without
   * clients.
   */
  async disableAgain(tx: EntityManager, acts: readonly AuditEntry[], done: Reconciled): Promise<void> {
    for (const client_id of disabledLast(acts, 'client')) await this.disableClient(tx, client_id, done);
    for (const user_id of disabledLast(acts, 'account')) await this.disableAccount(tx, user_id, done);
  }

  /** Deletes accounts again, so that nobody can sign in to them. The worker of the front door asks the regions when it starts. */
  async deleteAgain(tx: EntityManager, user_ids: readonly string[], done: Reconciled): Promise<void> {
    for (const user_id of user_ids) {
      if (!(await addDeletion(tx, user_id, this.now))) continue;
      for (const client_id of await this.clients.ofCompany(user_id, tx)) await this.clients.remove(client_id, tx);
      const account = await this.accounts.find(user_id, tx);
      if (account) {
        await this.mails.deleteTo(tx, account.email);
        await this.emailChanges.deleteMails(tx, user_id);
        await removeAccount(tx, account);
      }
      await this.audit.record(tx, { act: 'account.deleted', account_id: user_id, object: user_id, details: RESTORED });
      done.accounts_deleted.push(user_id);
    }
  }

  private async disableClient(tx: EntityManager, client_id: string, done: Reconciled): Promise<void> {
    const client = await this.clients.find(client_id, tx);
    if (!client || client.disabled) return;
    await this.clients.setDisabled(client_id, this.now, tx);
    await this.audit.record(tx, { act: 'client.disabled', account_id: client.company_user_id, object: client_id, details: RESTORED });
    done.clients_disabled.push(client_id);
  }

  private async disableAccount(tx: EntityManager, user_id: string, done: Reconciled): Promise<void> {
    const account = await this.accounts.find(user_id, tx);
    if (!account || account.disabled_at !== null) return;
    await this.accounts.setDisabled(user_id, this.now, tx);
    await this.audit.record(tx, { act: 'account.disabled', account_id: user_id, object: user_id, details: RESTORED });
    done.accounts_disabled.push(user_id);
  }

  private async reconcileClient(tx: EntityManager, stored: EntitledRow, newest: ClientRow | undefined, done: Reconciled): Promise<void> {
    const { client_id, company_user_id } = stored;
    if (company_user_id === null) return;
    const about = { account_id: company_user_id, object: client_id, details: RESTORED };
    if (!newest) {
      await this.clients.remove(client_id, tx);
      await this.audit.record(tx, { act: 'client.deleted', ...about });
      done.clients_deleted.push(client_id);
      return;
    }
    if (newest.epoch > stored.epoch || newest.secret_version > stored.secret_version) {
      const { epoch, secret_version } = newest;
      await this.clients.revokeSecret(client_id, { epoch: epoch + 1, secret_version: secret_version + 1 }, tx);
      await this.audit.record(tx, { act: 'client.secret_replaced', ...about });
      done.clients_without_secret.push(client_id);
    }
    if (newest.disabled) await this.disableClient(tx, client_id, done);
    await this.reconcileAccount(tx, company_user_id, stored, newest, done);
  }

  private async reconcileAccount(
    tx: EntityManager,
    user_id: string,
    stored: EntitledRow,
    newest: ClientRow,
    done: Reconciled,
  ): Promise<void> {
    if (newest.level !== null && newest.level !== stored.level && !done.accounts_with_level.includes(user_id)) {
      await this.accounts.setLevel(user_id, newest.level, this.now, tx);
      await this.audit.record(tx, { act: 'level.changed', account_id: user_id, object: user_id, details: { level: newest.level } });
      done.accounts_with_level.push(user_id);
    }
    if (newest.region !== null && newest.region !== stored.region && !done.accounts_moved.includes(user_id)) {
      await this.accounts.setRegion(user_id, newest.region, tx);
      await this.clients.setRegion(user_id, newest.region, tx);
      this.moved.push({ user_id, from_region: stored.region!, to_region: newest.region });
      done.accounts_moved.push(user_id);
    }
  }
}

/**
 * Publishes the end of all sessions, so that all bases refuse the tokens of every sign-in until now, and removes lost clients. The front
 * door publishes its tables when it starts.
 */
async function publish(
  bus: Bus,
  now: Date,
  { lost, position }: { lost: readonly string[]; position: { epoch: number; txid: string; seq: string } },
): Promise<void> {
  const [ended, clients, marks] = await Promise.all([
    ProjectionWriter.open(bus, REVOCATIONS),
    ProjectionWriter.open(bus, CLIENTS),
    ProjectionWriter.open(bus, RESTORE_MARKS),
  ]);
  await ended.put(ALL_SESSIONS, { before: now.toISOString() });
  for (const client_id of lost) await clients.remove(client_id);
  const { epoch, txid, seq } = position;
  await marks.put(restoreMark(), { epoch, txid, seq });
}
