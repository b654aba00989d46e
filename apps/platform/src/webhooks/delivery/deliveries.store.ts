import { STALE_BACKLOG_DAYS, WEBHOOK_BACKLOG_DAYS } from '@cds/contracts';
import { move, WEBHOOK_HEALTH, type Move, type WebhookEffect, type WebhookHealth } from '@cds/domain';
import { many, one, sql } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { HOME_LOCK } from '../../access/index.ts';
import { writeLog, type LogKind } from '../../services/index.ts';
import type { WebhookRow } from '../webhook-row.ts';
import type { Due, DueTarget, Target } from './due.ts';
import { daysBefore, isAlertDue, nextProbe } from './health.ts';

/** Rows that are read ahead of one webhook. */
export const READ_AHEAD = 8;

type DueRow = DueTarget & { event_id: string; queued_at: Date } & Pick<Due['event'], 'seq' | 'connection_id' | 'body' | 'traceparent'>;

/** A change of a webhook's health, what else must happen, and what the log says of it. */
export interface HealthChange extends Move<WebhookHealth, WebhookEffect> {
  message: string;
}

const GRACE_OVER = move(WEBHOOK_HEALTH, 'bad', 'grace over')!;
const LOG_KIND = { running: 'webhook_running', bad: 'webhook_bad', unknown: 'webhook_unknown' } as const satisfies Record<WebhookHealth, LogKind>;

/** What one region keeps of deliveries. Nothing is written of a company that is on its way to another region. */
export class DeliveriesStore {
  constructor(private readonly db: DataSource) {}

  /**
   * The oldest events of many webhooks in one statement; of a webhook whose health is unknown, the one it is probed with. No place in the
   * queue is remembered: what was delivered is deleted before the webhook is read again, so an event that was committed late is not missed.
   */
  async next(webhook_ids: readonly string[], now: Date): Promise<Due[]> {
    const rows = await many<DueRow>(this.db, sql`
      select w.*, p.public_key as account_public_key, e.seq, e.id as event_id, e.connection_id, e.body, e.traceparent, e.created_at as queued_at
        from webhook w
        join profile p on p.user_id = w.company_user_id and p.home = 'here'
       cross join lateral (
         select * from feed_event e
          where e.channel = w.webhook_id and e.created_at > ${backlogFrom(now)}
            and not (w.health = 'unknown' and e.collapse_key is not null and exists (
              select from feed_event n where n.channel = e.channel and n.collapse_key = e.collapse_key and n.seq > e.seq))
          order by e.seq
          limit case w.health when 'unknown' then 1 else ${READ_AHEAD}::integer end) e
       where w.webhook_id = any (${webhook_ids}) and w.enabled and w.health <> 'bad'
       order by w.webhook_id, e.seq`);
    return rows.map(({ event_id, queued_at, seq, connection_id, body, traceparent, ...webhook }) =>
      ({ webhook, event: { seq, id: event_id, created_at: queued_at, connection_id, body, traceparent } }));
  }

  /** Deletes what was delivered, of many webhooks in one transaction. The time finds the day's partition; here it is known to the millisecond. */
  async settle(delivered: readonly Due[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      await holdHomes(tx, delivered.map(({ webhook }) => webhook));
      await many(tx, sql`
        delete from feed_event e
         using unnest(${delivered.map(({ webhook }) => webhook.webhook_id)}::text[], ${delivered.map(({ event }) => event.seq)}::bigint[],
                      ${delivered.map(({ event }) => event.created_at)}::timestamptz[]) d (channel, seq, created_at), profile p
         where e.channel = d.channel and e.seq = d.seq and e.created_at >= d.created_at and e.created_at < d.created_at + interval '1 ms'
           and p.user_id = e.company_user_id and p.home = 'here'`);
    });
  }

  /** A delivery changed how its endpoint is doing. To park is one write: whatever comes later simply stays in the queue. @spec D1-3.2 */
  async change({ webhook, event }: Due, change: HealthChange, now: Date): Promise<void> {
    await this.inHome(webhook, async (tx) => {
      const isChanged = await changeHealth(tx, webhook, change, now);
      if (isChanged && change.also.includes('replay backlog')) await beginReplay(tx, webhook, event.seq);
    });
  }

  /** Endpoints whose grace is over are to be probed. Answers which. @spec D1-3.2 */
  async beginProbes(shards: readonly number[], now: Date): Promise<string[]> {
    const due = await many<WebhookRow>(this.db, sql`
      select w.* from webhook w
       where w.health = 'bad' and w.next_probe_at <= ${now} and w.enabled and webhook_shard(w.webhook_id) = any (${shards})
       order by w.next_probe_at
       limit 500`);
    const begun: string[] = [];
    for (const webhook of due) {
      const change = { ...GRACE_OVER, message: `The webhook to ${hostOf(webhook)} is probed with the oldest event that waits` };
      if (await this.inHome(webhook, (tx) => changeHealth(tx, webhook, change, now))) begun.push(webhook.webhook_id);
    }
    return begun;
  }

  /** Every webhook that has something to be delivered; for those of whom no hint was heard. */
  async waiting(shards: readonly number[], now: Date): Promise<string[]> {
    const rows = await many<{ webhook_id: string }>(this.db, sql`
      select w.webhook_id from webhook w
       where w.enabled and w.health <> 'bad' and webhook_shard(w.webhook_id) = any (${shards})
         and exists (select from feed_event e where e.channel = w.webhook_id and e.created_at > ${backlogFrom(now)})`);
    return rows.map(({ webhook_id }) => webhook_id);
  }

  /** Tells of backlogs that grow old, and purges what has waited too long. Answers how many were told of. @spec D1-6.3 */
  async tendBacklogs(shards: readonly number[], now: Date): Promise<{ stale: number; purged: number }> {
    const told = { stale: 0, purged: 0 };
    for (const webhook of (await this.oldBacklogs(shards, now)).filter((backlog) => isAlertDue(backlog, now))) {
      const purged = await this.inHome(webhook, (tx) => tend(tx, webhook, now));
      told.stale += 1;
      told.purged += purged || 0;
    }
    return told;
  }

  /** One webhook, to be tried by its owner. */
  target(webhook_id: string): Promise<Target | undefined> {
    return one<Target>(this.db, sql`
      select w.*, p.public_key as account_public_key from webhook w join profile p on p.user_id = w.company_user_id
       where w.webhook_id = ${webhook_id}`);
  }

  private oldBacklogs(shards: readonly number[], now: Date): Promise<OldBacklog[]> {
    return many<OldBacklog>(this.db, sql`
      select w.*, oldest.created_at as oldest_at
        from webhook w
       cross join lateral (select e.created_at from feed_event e where e.channel = w.webhook_id order by e.seq limit 1) oldest
       where (w.health <> 'running' or not w.enabled) and webhook_shard(w.webhook_id) = any (${shards})
         and oldest.created_at <= ${daysBefore(now, STALE_BACKLOG_DAYS.daily)}
       limit 500`);
  }

  /** Writes what is of a company, unless it is moving: then the other region goes on. */
  private inHome<T>(webhook: WebhookRow, work: (tx: EntityManager) => Promise<T>): Promise<T | false> {
    return this.db.transaction(async (tx) => {
      await holdHomes(tx, [webhook]);
      const isHere = await one(tx, sql`select from profile where user_id = ${webhook.company_user_id} and home = 'here'`);
      return isHere ? work(tx) : false;
    });
  }
}

interface OldBacklog extends WebhookRow {
  oldest_at: Date;
  alerted_at: Date | null;
}

/** What has waited this long is lost. @spec D1-8 */
const backlogFrom = (now: Date) => daysBefore(now, WEBHOOK_BACKLOG_DAYS);

/** The lock at which a move waits for writes of its company. */
async function holdHomes(tx: EntityManager, webhooks: readonly WebhookRow[]): Promise<void> {
  const users = [...new Set(webhooks.map(({ company_user_id }) => company_user_id))];
  await many(tx, sql`select pg_advisory_xact_lock_shared(${HOME_LOCK}, hashtext(u)) from unnest(${users}::text[]) u`);
}

/** False when the webhook is no longer what the decision was made on. */
async function changeHealth(tx: EntityManager, webhook: WebhookRow, { next, also, message }: HealthChange, now: Date): Promise<boolean> {
  const next_probe_at = also.includes('start grace') ? nextProbe(now) : null;
  const changed = await one(tx, sql`
    update webhook set health = ${next}, health_since = ${now}, next_probe_at = ${next_probe_at}
     where webhook_id = ${webhook.webhook_id} and health = ${webhook.health}
    returning webhook_id`);
  if (changed && also.includes('log change')) await writeLog(tx, webhook, { kind: LOG_KIND[next], message, webhook_id: webhook.webhook_id }, now);
  return changed !== undefined;
}

/** The probe's event is done, and of the parked ones that replace each other the latest remains. @spec D1-3.2 @spec D1-6.2 */
const beginReplay = (tx: EntityManager, { webhook_id }: WebhookRow, probe: string) =>
  many(tx, sql`
    delete from feed_event e
     where e.channel = ${webhook_id}
       and (e.seq = ${probe} or (e.collapse_key is not null and exists (
         select from feed_event n where n.channel = e.channel and n.collapse_key = e.collapse_key and n.seq > e.seq)))`);

async function tend(tx: EntityManager, webhook: OldBacklog, now: Date): Promise<number> {
  const log = (kind: LogKind, message: string) => writeLog(tx, webhook, { kind, message, webhook_id: webhook.webhook_id }, now);
  const purged = await many(tx, sql`
    delete from feed_event where channel = ${webhook.webhook_id} and created_at <= ${backlogFrom(now)} returning seq`);
  await many(tx, sql`update webhook set alerted_at = ${now} where webhook_id = ${webhook.webhook_id}`);
  await log('webhook_stale', `Events for the webhook to ${hostOf(webhook)} wait since ${webhook.oldest_at.toISOString()}; after ${WEBHOOK_BACKLOG_DAYS} days they are lost`);
  if (purged.length) await log('webhook_purged', `${purged.length} events for the webhook to ${hostOf(webhook)} have waited ${WEBHOOK_BACKLOG_DAYS} days and are lost`);
  return purged.length;
}

/** An address may carry a secret, its host does not. */
export const hostOf = ({ url }: Pick<WebhookRow, 'url'>): string => new URL(url).host;
