import { Inject, Injectable } from '@nestjs/common';
import { COUNTED_BACKLOG, Refusal } from '@codase/contracts';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { lockChannels, notifyDelivery, removeChannel, removeLease } from '../feed/index.ts';
import type { CompanyLeaves } from '../../storage/moves/index.ts';
import type { OwnService } from '../services/index.ts';
import { backlogFrom } from './delivery/health.ts';
import { DELIVERY_LEASES } from './delivery/shards.ts';
import type { SealedRow, SealedRows } from './stored-secrets-reseal.hook.ts';
import { NOTHING_WAITS, type Backlog, type ConfiguredWebhook, type WebhookRow } from './webhook-row.ts';
import { WebhookEntity } from './webhook.entity.ts';

export type OwnWebhook = Pick<WebhookRow, 'company_user_id' | 'service_id' | 'webhook_id'>;

/** Returns the webhooks of a service, the oldest first. There are few. */
export const listWebhooks = (db: Db, { company_user_id, service_id }: OwnService) => many<WebhookRow>(db)`
  select * from webhook
   where service_id = ${service_id} and company_user_id = ${company_user_id}
   order by created_at, webhook_id`;

/** Returns a webhook of the company's service. The webhook of another company is not found. */
export async function findWebhook(db: Db, { company_user_id, service_id, webhook_id }: OwnWebhook): Promise<ConfiguredWebhook> {
  const row = await one<ConfiguredWebhook>(db)`
    select * from webhook
     where webhook_id = ${webhook_id} and service_id = ${service_id} and company_user_id = ${company_user_id}`;
  if (!row) throw new Refusal('services.webhook_not_found');
  return row;
}

/** Adds a webhook, or changes the configuration of an existing one. The caller has locked the service. */
export async function putWebhook(tx: EntityManager, row: ConfiguredWebhook): Promise<ConfiguredWebhook> {
  const written = await one<ConfiguredWebhook>(tx)`
    insert into webhook (webhook_id, company_user_id, service_id, url, events, format, auth_type, encrypt_payload, standard_webhooks,
                         enabled, sealed_secrets, secret_id, health, health_since, next_probe_at, created_at)
    values (${row.webhook_id}, ${row.company_user_id}, ${row.service_id}, ${row.url}, ${row.events}, ${row.format}, ${row.auth_type},
            ${row.encrypt_payload}, ${row.standard_webhooks}, ${row.enabled}, ${row.sealed_secrets}, ${row.secret_id}, ${row.health},
            ${row.health_since}, ${row.next_probe_at}, ${row.created_at})
    on conflict (webhook_id) do update
       set url = excluded.url, events = excluded.events, format = excluded.format, auth_type = excluded.auth_type,
           encrypt_payload = excluded.encrypt_payload, standard_webhooks = excluded.standard_webhooks, enabled = excluded.enabled,
           sealed_secrets = excluded.sealed_secrets, secret_id = excluded.secret_id, next_probe_at = excluded.next_probe_at
    returning *`;
  await notifyDelivery(tx, row.webhook_id);
  return written!;
}

/** Removes a webhook and all events that wait for it, which may take a while: meanwhile the delivery skips the channel. @spec D1-6.3 */
export async function removeWebhook(tx: EntityManager, own: OwnWebhook): Promise<void> {
  await removeWithoutEvents(tx, own);
  await removeChannel(tx, own.webhook_id);
}

/** Removes a webhook. The events that wait for it go with their day at the latest, and the caller deletes them before. */
export async function removeWithoutEvents(tx: EntityManager, { webhook_id }: OwnWebhook): Promise<void> {
  await lockChannels(tx, [webhook_id]);
  await execute(tx)`delete from webhook where webhook_id = ${webhook_id}`;
  await removeLease(tx, webhook_id);
  await notifyDelivery(tx, webhook_id);
}

/** Returns a webhook of any company, by its id alone. */
export const findWebhookById = (db: Db, webhook_id: string) =>
  one<OwnWebhook>(db)`select webhook_id, company_user_id, service_id from webhook where webhook_id = ${webhook_id}`;

/** Returns those of the webhooks that the company has and that have a signing secret, each with the id of that secret. */
export const signingSecretsAmong = (db: Db, company_user_id: string, webhook_ids: readonly string[]) =>
  many<{ webhook_id: string; service_id: string; secret_id: string }>(db)`
  select webhook_id, service_id, secret_id from webhook
   where company_user_id = ${company_user_id} and webhook_id = any(${webhook_ids}::text[]) and secret_id is not null`;

/** Returns the backlogs of webhooks, by their ids. Of a long backlog only the oldest `COUNTED_BACKLOG` events are counted. */
export async function backlogsOf(db: Db, webhook_ids: readonly string[], now: Date): Promise<(webhook_id: string) => Backlog> {
  const rows = await many<Backlog & { channel: string }>(db)`
    select w.channel, counted.* from unnest(${webhook_ids}::text[]) w (channel)
     cross join lateral (
       select count(*)::integer as backlog, min(created_at) as oldest_at from (
         select created_at from feed_event e
          where e.channel = w.channel and e.created_at > ${backlogFrom(now)}
          order by e.seq limit ${COUNTED_BACKLOG}) oldest) counted`;
  const waiting = new Map(rows.map(({ channel, ...backlog }) => [channel, backlog]));
  return (webhook_id) => waiting.get(webhook_id) ?? NOTHING_WAITS;
}

/** The secrets of webhooks, as rows to be sealed anew. */
@Injectable()
export class SealedWebhooks implements SealedRows {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  after(id: string, limit: number): Promise<SealedRow[]> {
    return many<SealedRow>(this.db)`
      select webhook_id as id, company_user_id, sealed_secrets from webhook where webhook_id > ${id} order by webhook_id limit ${limit}`;
  }

  async replace(tx: EntityManager, { id, sealed_secrets }: SealedRow, resealed: string): Promise<void> {
    await tx.getRepository(WebhookEntity).update({ webhook_id: id, sealed_secrets }, { sealed_secrets: resealed });
    await notifyDelivery(tx, id);
  }
}

/** The notification channel of Postgres that announces to the delivery that a company leaves the region. */
export const LEAVING_NOTIFICATION = 'company_leaves';

/**
 * Settles the webhooks of a company that leaves the region: the delivery drops what it has read and marks each webhook when none of its
 * deliveries is under way any more. A webhook whose lease no process holds needs no mark: the process that held it is dead, and its
 * deliveries are over.
 */
@Injectable()
export class LeavingWebhooks implements CompanyLeaves {
  async companyLeaves(tx: EntityManager, company_user_id: string): Promise<void> {
    await execute(tx)`update webhook set is_settled = false where company_user_id = ${company_user_id} and is_settled`;
    await execute(tx)`select pg_notify(${LEAVING_NOTIFICATION}, ${company_user_id})`;
  }

  async isSettled(tx: EntityManager, company_user_id: string): Promise<boolean> {
    const underWay = await one(tx)`
      select w.webhook_id from webhook w
        join lease l on l.kind = ${DELIVERY_LEASES} and l.name = webhook_shard(w.webhook_id)::text
       where w.company_user_id = ${company_user_id} and not w.is_settled and l.owner is not null and l.until > clock_timestamp()
       limit 1`;
    return underWay === undefined;
  }
}
