import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DELETION_CODE_HOURS, Refusal } from '@codase/contracts';
import { equalSecrets } from '@codase/crypto';
import { Bus, ProjectionReader, ProjectionWriter } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { EmailChangesStore } from '../../access/account-changes/index.ts';
import { AccountMailStore, hashMailedCode, MAX_WRONG_CODES, newMailedCode, tooManyMails } from '../../access/account-mail/index.ts';
import { Audit } from '../../foundation/audit/index.ts';
import { changeAndPublish } from '../../kit/outbox/change-and-publish.service.ts';
import { ClientsStore } from '../../access/clients/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore, removeAccount, type AccountRow } from '../../access/identity/index.ts';
import { MovesStore } from '../../storage/moves/index.ts';
import { PublishedDevices } from '../../access/devices/index.ts';
import { LocalSessions } from '../../access/tokens/index.ts';
import { AccountDeletionWorker } from './account-deletion.worker.ts';
import { DeletionCodesStore } from './deletion-codes.store.ts';
import { addDeletion, DELETED_ACCOUNTS, deletionsAfter, isDeletionNoted } from './deletions.store.ts';

/** How many mails with codes one account gets in a day. @gap D1-5.8 */
const MAX_MAILS = 5;
const HOUR_MS = 3_600_000;
const PAGE = 1000;

/** What ended with an account: sessions that may still have an access token, and keys of devices. */
interface Ended {
  to_publish: readonly string[];
  hadDevices: boolean;
}

/**
 * Deletes an account when its owner asks for it. A code is mailed to the confirmed address, and with this code the account is deleted in
 * one transaction. The same transaction adds a row for the worker, which lets the regions delete what they have of the account. @gap D1-5.8
 */
@Injectable()
export class AccountDeletion implements OnApplicationBootstrap {
  private deleted!: ProjectionWriter<typeof DELETED_ACCOUNTS.shape>;

  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly accounts: AccountsStore,
    private readonly clients: ClientsStore,
    private readonly moves: MovesStore,
    private readonly codes: DeletionCodesStore,
    private readonly mails: AccountMailStore,
    private readonly emailChanges: EmailChangesStore,
    private readonly sessions: LocalSessions,
    private readonly devices: PublishedDevices,
    private readonly worker: AccountDeletionWorker,
    private readonly audit: Audit,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.deleted = await ProjectionWriter.open(this.bus, DELETED_ACCOUNTS);
    await this.publishMissing();
  }

  /** Publishes deletions that are missing on the bus, which may have been restored from an older copy. */
  private async publishMissing(): Promise<void> {
    const published = await ProjectionReader.open(this.bus, DELETED_ACCOUNTS, this.log);
    try {
      for (let page = await deletionsAfter(this.db, '', PAGE); page.length > 0; page = await deletionsAfter(this.db, page.at(-1)!, PAGE))
        for (const user_id of page) if (!published.get(user_id)) await this.deleted.put(user_id, { user_id });
    } finally {
      await published.close();
    }
  }

  /** Mails a code. The region that asks has already had the password checked. */
  async request(user_id: string): Promise<{ confirm_by: string }> {
    const now = this.clock.now();
    const expires_at = new Date(now.getTime() + DELETION_CODE_HOURS * HOUR_MS);
    const code = newMailedCode();
    await this.db.transaction(async (tx) => {
      const account = await this.accounts.lock(user_id, tx);
      if (!account) throw new Refusal('auth.token_invalid');
      await this.checkUnused(tx, account);
      const code_hash = hashMailedCode(user_id, code);
      if (!(await this.codes.put(tx, { user_id, code_hash, expires_at }, MAX_MAILS, now))) throw tooManyMails(MAX_MAILS);
      await this.mails.write(tx, account.email, { kind: 'confirm_deletion', facts: { code } }, now, expires_at);
      await this.audit.record(tx, { act: 'account.deletion_requested', account_id: user_id, object: user_id });
    });
    return { confirm_by: expires_at.toISOString() };
  }

  /** Deletes the account when the code is the one that was mailed. A call that fails for another reason than the code can be repeated. */
  async confirm(user_id: string, code: string): Promise<void> {
    const code_hash = await this.codes.attempt(user_id, MAX_WRONG_CODES, this.clock.now());
    if (code_hash === undefined || !(await equalSecrets(hashMailedCode(user_id, code), code_hash))) {
      this.audit.refused({ act: 'account.deleted', outcome: 'account.code_invalid', account_id: user_id, object: user_id });
      throw new Refusal('account.code_invalid');
    }
    try {
      await this.delete(user_id, code_hash);
    } catch (error) {
      await this.codes.uncount(user_id);
      throw error;
    }
    this.worker.wake();
  }

  /** Deletes the account, once for several calls with the code. It is published before it is committed: both happen or neither. */
  private delete(user_id: string, code_hash: string): Promise<void> {
    let ended: Ended = { to_publish: [], hadDevices: false };
    return changeAndPublish(this.db, this.log, {
      change: async (tx) => {
        ended = await this.deleteIn(tx, user_id, code_hash);
      },
      publish: (tx) => this.publish(tx, user_id, ended),
    });
  }

  /** Returns what has to be published. */
  private async deleteIn(tx: EntityManager, user_id: string, code_hash: string): Promise<Ended> {
    const account = await this.accounts.lock(user_id, tx);
    if (!account || !(await this.codes.take(tx, user_id, code_hash))) throw new Refusal('account.code_invalid');
    await this.checkUnused(tx, account);
    const { sessions, to_publish } = await this.sessions.endForGood(tx, user_id);
    const hadDevices = await this.devices.isWithDevices(tx, user_id);
    await this.mails.deleteTo(tx, account.email);
    await this.emailChanges.deleteMails(tx, user_id);
    await removeAccount(tx, account);
    await addDeletion(tx, user_id, this.clock.now());
    await this.audit.record(tx, { act: 'account.deleted', account_id: user_id, object: user_id, details: { sessions } });
    return { to_publish, hadDevices };
  }

  /** Publishes the deletion, and last the sessions that ended: unlike the deletion, their ends cannot be taken back. */
  private async publish(tx: EntityManager, user_id: string, { to_publish, hadDevices }: Ended): Promise<void> {
    if (!(await isDeletionNoted(tx, user_id))) return this.deleted.remove(user_id);
    await this.deleted.put(user_id, { user_id });
    if (hadDevices) await this.devices.publish(tx, user_id);
    await this.sessions.publishEnds(to_publish);
  }

  /**
   * Refuses a company that is moving or still has clients. A company has to delete what others depend on itself, one by one, so that no
   * service ends by a single code. Its region checks that it has no services.
   */
  private async checkUnused(tx: EntityManager, { type, user_id }: AccountRow): Promise<void> {
    if (type === 'person') return;
    if (await this.moves.isMoving(user_id, tx)) throw new Refusal('account.moving').because('The company is moving: repeat it afterwards');
    if ((await this.clients.ofCompany(user_id, tx)).length > 0) throw new Refusal('account.in_use');
  }
}
