import { STALE_BACKLOG_DAYS, WEBHOOK_BACKLOG_DAYS } from '@codase/contracts';
import { execute, many, one } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { purgeChannel } from '../../feed/index.ts';
import type { LogKind } from '../../../kit/log-kinds.ts';
import { mailBacklog } from '../../mail/index.ts';
import { writeIfHome } from '../../../foundation/regions/index.ts';
import { writeLog } from '../../services/index.ts';
import { LOG_KINDS } from '../log-kinds.ts';
import { hostOf, type WebhookRow } from '../webhook-row.ts';
import { backlogFrom, daysBefore } from './health.ts';
import { hold } from './hold.store.ts';

/** Which webhooks are searched for old backlogs. A running one has some only if its endpoint is slow, and takes long to find. */
export type Tended = 'all' | 'not running';

interface OldBacklog extends WebhookRow {
  oldest_at: Date;
  alerted_at: Date | null;
}

/** The backlogs of webhooks in the database of one region: their age, alerts to their owners, and what is lost in the end. */
export class BacklogsStore {
  constructor(
    private readonly db: DataSource,
    private readonly byMail = false,
  ) {}

  /** Returns how many seconds the oldest event has waited for a webhook, 0 when nothing waits. */
  async oldestAge(shards: readonly number[], now: Date): Promise<number> {
    const row = await one<{ oldest_at: Date | null }>(this.db)`
      select min(oldest.created_at) as oldest_at
        from webhook w
       cross join lateral (select e.created_at from feed_event e where e.channel = w.webhook_id order by e.seq limit 1) oldest
       where webhook_shard(w.webhook_id) = any (${shards})`;
    return row?.oldest_at ? Math.max(0, (now.getTime() - row.oldest_at.getTime()) / 1000) : 0;
  }

  /** Alerts owners of old backlogs, and purges events that waited too long. Returns how many of each. @spec D1-6.3 */
  async tend(shards: readonly number[], now: Date, whose: Tended = 'all'): Promise<{ stale: number; purged: number }> {
    const counts = { stale: 0, purged: 0 };
    for (const webhook of await this.oldBacklogs(shards, now, whose)) {
      const purged = await writeIfHome(this.db, webhook.company_user_id, (tx) => tendOne(tx, webhook, { byMail: this.byMail, now }));
      if (purged === undefined) continue;
      counts.stale += 1;
      counts.purged += purged;
    }
    return counts;
  }

  /**
   * Returns the backlogs whose owner is to be alerted again: daily from two days on, hourly from five. Webhooks with the oldest last alert
   * come first, so that each gets its turn however many there are. @spec D1-6.3
   */
  private oldBacklogs(shards: readonly number[], now: Date, whose: Tended): Promise<OldBacklog[]> {
    const { daily, hourly } = STALE_BACKLOG_DAYS;
    return many<OldBacklog>(this.db)`
      select w.*, oldest.created_at as oldest_at
        from webhook w
       cross join lateral (
         select e.created_at from feed_event e where e.channel = w.webhook_id and e.created_at <= ${daysBefore(now, daily)}
           order by e.seq limit 1) oldest
       where (${whose === 'all'} or w.health <> 'running' or not w.enabled) and webhook_shard(w.webhook_id) = any (${shards})
         and (w.alerted_at is null or w.alerted_at < oldest.created_at
              or w.alerted_at <= ${now}::timestamptz - case when oldest.created_at <= ${daysBefore(now, hourly)}
                then interval '1 hour' else interval '24 hours' end)
       order by w.alerted_at nulls first
       limit 500`;
  }
}

/**
 * Purges the events that are too old and reports the backlog in the log and by mail, all in one transaction. Returns how many were purged;
 * undefined when somebody else is changing the webhook or its service, or drains the backlog: the next look finds it again.
 */
async function tendOne(
  tx: EntityManager,
  webhook: OldBacklog,
  { byMail, now }: { byMail: boolean; now: Date },
): Promise<number | undefined> {
  const { free } = await hold(tx, [webhook]);
  if (!free.has(webhook.webhook_id)) return undefined;
  const log = (kind: LogKind, message: string) => writeLog(tx, webhook, { kind, message, webhook_id: webhook.webhook_id }, now);
  const purged = await purgeChannel(tx, webhook.webhook_id, backlogFrom(now));
  await execute(tx)`update webhook set alerted_at = ${now} where webhook_id = ${webhook.webhook_id}`;
  await log(
    LOG_KINDS.webhook_stale,
    `Events for the webhook to ${hostOf(webhook)} wait since ${webhook.oldest_at.toISOString()}; after ${WEBHOOK_BACKLOG_DAYS} days they ` +
      'are lost',
  );
  if (purged > 0)
    await log(
      LOG_KINDS.webhook_purged,
      `${purged} events for the webhook to ${hostOf(webhook)} have waited ${WEBHOOK_BACKLOG_DAYS} days and are lost`,
    );
  const oldest_at = await oldestAt(tx, webhook);
  if (byMail && (oldest_at || purged > 0))
    await mailBacklog(tx, webhook, { host: hostOf(webhook), enabled: webhook.enabled, oldest_at, lost: purged }, now);
  return purged;
}

async function oldestAt(tx: EntityManager, { webhook_id }: WebhookRow): Promise<string | null> {
  const oldest = await one<{ created_at: Date }>(tx)`select created_at from feed_event where channel = ${webhook_id} order by seq limit 1`;
  return oldest?.created_at.toISOString() ?? null;
}
