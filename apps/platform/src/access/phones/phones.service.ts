import { Inject, Injectable } from '@nestjs/common';
import { MAX_TRUSTED_DEVICES, Refusal, type Output, type phones } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore } from '../identity/index.ts';
import { newId } from '../../kit/ids.ts';
import { LocalSessions } from '../tokens/index.ts';
import { METRICS } from './metrics.ts';
import { PhonesStore } from './phones.store.ts';
import type { PhoneEntity } from './phone.entity.ts';

type Device = Output<typeof phones.listPhones>['items'][number];
type Session = Awaited<ReturnType<LocalSessions['listOf']>>[number];

/**
 * The phones of persons, at the front door: there are their sessions, and removing a phone is ending its session in one transaction. A
 * phone whose session is over is no longer shown. @gap D1-5
 */
@Injectable()
export class Phones {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly accounts: AccountsStore,
    private readonly store: PhonesStore,
    private readonly sessions: LocalSessions,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async listOf(user_id: string): Promise<Device[]> {
    return (await this.signedIn(await this.store.listOf(user_id))).map(({ row, session }) => present(row, session));
  }

  /** Registers the phone of an open session, or renames it, one at a time for an account. Phones that have signed out make room. */
  async add(user_id: string, session_id: string, name: string): Promise<Device> {
    const [session] = await this.sessions.listOf(user_id, [session_id]);
    if (!session) throw new Refusal('auth.token_invalid');
    const { row, isNew } = await this.db.transaction(async (tx) => {
      if (!(await this.accounts.lock(user_id, tx))) throw new Refusal('auth.token_invalid');
      const others = (await this.store.listOf(user_id, tx)).filter((one) => one.session_id !== session_id);
      const open = (await this.signedIn(others, tx)).map(({ row: { device_id } }) => device_id);
      if (open.length >= MAX_TRUSTED_DEVICES) throw new Refusal('account.too_many_devices');
      const signedOut = others.flatMap(({ device_id }) => (open.includes(device_id) ? [] : device_id));
      await this.store.removeAll(tx, signedOut);
      const device_id = newId('dev');
      const put = await this.store.put(tx, { device_id, user_id, session_id, name, created_at: this.clock.now() });
      const added = { row: put, isNew: put.device_id === device_id };
      if (added.isNew) await this.audit.record(tx, { act: 'trusted_device.added', account_id: user_id, object: device_id });
      return added;
    });
    if (isNew) count(METRICS.phonesAdded);
    return present(row, session);
  }

  /** Removes a phone, and ends its session. The session is locked before the phone, as when both are deleted after they expired. */
  async remove(user_id: string, device_id: string): Promise<void> {
    const isEnded = await this.db.transaction(async (tx) => {
      const phone = await this.store.find(user_id, device_id, tx);
      if (!phone) throw new Refusal('account.device_not_found');
      const ended = await this.sessions.endOwnIn(tx, user_id, phone.session_id);
      if (!(await this.store.remove(tx, device_id))) throw new Refusal('account.device_not_found');
      await this.audit.record(tx, { act: 'trusted_device.removed', account_id: user_id, object: device_id });
      await this.sessions.publishEnds([phone.session_id]);
      return ended;
    });
    count(METRICS.phonesRemoved);
    if (isEnded) this.sessions.countEnded(1);
  }

  /** Returns those of the phones of one person whose sessions are open, with these. */
  private async signedIn(rows: readonly PhoneEntity[], tx?: EntityManager) {
    if (rows.length === 0) return [];
    const among = rows.map(({ session_id }) => session_id);
    const open = new Map((await this.sessions.listOf(rows[0]!.user_id, among, tx)).map((session) => [session.id, session]));
    return rows.flatMap((row) => (open.has(row.session_id) ? [{ row, session: open.get(row.session_id)! }] : []));
  }
}

const present = ({ device_id, name, created_at }: PhoneEntity, { last_used_at }: Session): Device => ({
  id: device_id,
  name,
  created_at: created_at.toISOString(),
  last_seen_at: last_used_at,
});
