import { randomBytes } from 'node:crypto';
import { keyList, migrateRegion, Outgoing, RegionDelivery, StoredSecrets } from '@codase/platform';
import { systemClock } from '@codase/runtime/clock';
import { one, sql } from '@codase/runtime/db';
import { Outbound } from '@codase/runtime/http';
import { silentLog } from '@codase/runtime/telemetry';
import { createDatabase, type Postgres } from '@codase/servers';
import type { DataSource } from 'typeorm';
import { benchPostgres, onDatabase, openBenchDatabase, statementsOn, type RunStatement } from '../harness/database.ts';
import { eventNumbered, type Deliverer, type Load } from './load.ts';

export const COMPANY = 'usr_bench';

/** A region with webhooks, and the real delivery with its own database role. */
export class Ours implements Deliverer {
  private readonly run: RunStatement;

  private constructor(
    readonly postgres: Postgres,
    /** The region's connection, which makes webhooks and events. */
    readonly db: DataSource,
    private readonly deliveryDb: DataSource,
    private readonly stored: StoredSecrets,
    private readonly outbound: Outbound,
    private readonly delivery: RegionDelivery,
    private readonly paused: { isPaused: boolean },
  ) {
    this.run = statementsOn(db);
  }

  static async open(): Promise<Ours> {
    const postgres = await benchPostgres();
    const { db, deliveryDb } = await openRegion(postgres.url);
    const [stored, outbound] = [new StoredSecrets(keyList(randomBytes(32))), new Outbound({ loopback: true })];
    const paused = { isPaused: false };
    const delivery = new RegionDelivery({
      region: 'eu',
      db: deliveryDb,
      slots: { statesOf: async () => new Map() },
      outgoing: new Outgoing(outbound, stored, systemClock, { current: [] }),
      clock: systemClock,
      log: silentLog,
      isPaused: () => paused.isPaused,
    });
    await delivery.start();
    return new Ours(postgres, db, deliveryDb, stored, outbound, delivery, paused);
  }

  async addService(service_id: string, webhooks: number, url: string): Promise<string[]> {
    const ids = Array.from({ length: webhooks }, (_, nth) => `wh_${service_id}_${nth}`);
    await this.run`
      insert into service (service_id, company_user_id, name, share_code, public_key, created_at)
      values (${service_id}, ${COMPANY}, 'Bench', ${service_id}, '', now())`;
    await this.run`
      insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, enabled,
        sealed_secrets, health_since, created_at)
      select id, ${COMPANY}, ${service_id}, ${url}, '{}', 'json', 'none', false, true, secrets, now(), now()
        from unnest(${ids}::text[], ${ids.map((id) => this.stored.seal({}, id))}::text[]) h (id, secrets)`;
    await this.run`analyze webhook`;
    return ids;
  }

  /** Queues the events. The delivery also polls by itself, so it is paused until `begin`. */
  async queue({ hooks, each, first }: Load): Promise<void> {
    this.paused.isPaused = true;
    for (let number = first; number < first + each; number += 1) {
      await this.run`
        insert into feed_event (channel, created_at, company_user_id, service_id, event, body)
        select h, now(), ${COMPANY}, 'ser_bench', 'flow_run_turn', ${JSON.stringify(eventNumbered(number))}::json
          from unnest(${hooks}::text[]) h`;
    }
  }

  async begin({ hooks }: Load) {
    this.paused.isPaused = false;
    await this.tell(hooks);
    return { stop: async () => undefined };
  }

  /** Notifies the delivery, as the transaction of a change would. */
  tell(hooks: readonly string[]): Promise<void> {
    return this.run`select pg_notify('feed_event', h) from unnest(${hooks}::text[]) h`;
  }

  async isEmpty({ hooks }: Load): Promise<boolean> {
    return (await one(this.db, sql`select from feed_event where channel = any (${hooks}) limit 1`)) === undefined;
  }

  async close(): Promise<void> {
    await this.delivery.close();
    await Promise.all([this.outbound.close(), this.db.destroy(), this.deliveryDb.destroy()]);
    await this.postgres.stop();
  }
}

async function openRegion(adminUrl: string): Promise<{ db: DataSource; deliveryDb: DataSource }> {
  const passwords = { ownerPassword: 'bench', appPassword: 'bench', rolePasswords: { delivery: 'bench' } };
  const { owner, app, delivery } = await createDatabase(adminUrl, { name: 'region', ...passwords });
  await migrateRegion({ url: owner, deliveryRole: new URL(delivery).username });
  await onDatabase(owner, (run) => run`select feed_make_days(current_date - 7, current_date + 2)`);
  const db = await openBenchDatabase(app, 10);
  await statementsOn(db)`
    insert into profile (user_id, type, display_name, language, share_code, public_key, created_at)
    values (${COMPANY}, 'company', 'Bench', 'en', 'BENCH', '', now())`;
  return { db, deliveryDb: await openBenchDatabase(delivery, 10) };
}
