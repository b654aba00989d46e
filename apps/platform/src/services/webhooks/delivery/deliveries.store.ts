import { move, WEBHOOK_HEALTH, type Move, type WebhookEffect, type WebhookHealth } from '@codase/domain';
import { execute, many, one } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { DELIVERY_STATES, tryHoldHomes, writeIfHome } from '../../../foundation/regions/index.ts';
import { removeDelivered, removeWithReplaced } from '../../feed/index.ts';
import { writeLogs } from '../../services/index.ts';
import { hostOf, type WebhookRow } from '../webhook-row.ts';
import type { PendingDelivery, ActiveTarget, WriteOutcome, WebhookTarget } from './pending-delivery.ts';
import { backlogFrom, nextProbe } from './health.ts';
import { hold } from './hold.store.ts';
import { LOG_KINDS } from '../log-kinds.ts';
import type { LogKind } from '../../../kit/log-kinds.ts';

/** The columns of a webhook's next event, null when there is none. */
type MaybeEvent = { event_id: string; queued_at: Date } & Pick<PendingDelivery['event'], 'connection_id' | 'body' | 'traceparent'> & {
    seq: string | null;
  };

/** A change of a webhook's health, what else must happen, and what the log says of it. */
interface HealthChange extends Move<WebhookHealth, WebhookEffect> {
  message: string;
}

/** A delivery, and the change of health it led to. */
export interface ConcludedDelivery {
  pending: PendingDelivery;
  change: HealthChange;
}

const GRACE_OVER = move(WEBHOOK_HEALTH, 'bad', 'grace over')!;
const LOG_KIND = {
  running: LOG_KINDS.webhook_running,
  bad: LOG_KINDS.webhook_bad,
  unknown: LOG_KINDS.webhook_unknown,
} as const satisfies Record<WebhookHealth, LogKind>;

/**
 * The deliveries in the database of one region. For a company that leaves, no delivery begins. The outcomes of deliveries under way are
 * written down until the company's rows are copied, and nothing after that.
 */
export class DeliveriesStore {
  constructor(private readonly db: DataSource) {}

  /**
   * Returns the oldest events of many webhooks, at most `each` for one, and for a webhook whose health is unknown the event to probe it
   * with. The position in the queue is not remembered: delivered events are deleted before the webhook is read again, so an event that was
   * committed late is not missed. The statement is prepared, because every event that comes alone waits for it, and planning it takes
   * longer than running it.
   */
  async next(webhook_ids: readonly string[], each: number, now: Date): Promise<PendingDelivery[]> {
    const rows = await many<ActiveTarget & MaybeEvent>(this.db, 'webhooks_next')`
      select w.webhook_id, w.company_user_id, w.service_id, w.url, w.events, w.format, w.auth_type, w.encrypt_payload, w.standard_webhooks,
        w.enabled, w.sealed_secrets, w.health, w.health_since, w.next_probe_at, w.created_at, p.public_key as account_public_key,
        e.seq, e.id as event_id, e.connection_id, e.body, e.traceparent, e.created_at as queued_at
        from webhook w
        join profile p on p.user_id = w.company_user_id and p.home = 'here'
        left join lateral (
          select * from feed_event e
           where e.channel = w.webhook_id and e.company_user_id = w.company_user_id and e.created_at > ${backlogFrom(now)}
           order by e.seq limit ${each}
        ) e on w.health = 'running'
       where w.webhook_id = any (${webhook_ids}) and w.enabled and w.health <> 'bad'
       order by w.webhook_id, e.seq`;
    const deliveries = rows.map(({ seq, event_id, connection_id, body, traceparent, queued_at, ...webhook }) => ({
      webhook,
      event: { seq, id: event_id, created_at: queued_at, connection_id, body, traceparent },
    }));
    const unknown = deliveries.map(({ webhook }) => webhook).filter(({ health }) => health === 'unknown');
    return [
      ...deliveries.filter((pending): pending is PendingDelivery => pending.event.seq !== null),
      ...(await this.probes(unknown, now)),
    ];
  }

  /** Returns the event to probe each webhook with: the latest of those that replace each other. Few need it, and it plans long. */
  private async probes(webhooks: readonly ActiveTarget[], now: Date): Promise<PendingDelivery[]> {
    if (webhooks.length === 0) return [];
    const events = await many<PendingDelivery['event'] & { channel: string }>(this.db)`
      select e.* from unnest(${webhooks.map(({ webhook_id }) => webhook_id)}::text[], ${webhooks.map((one) => one.company_user_id)}::text[])
             w (id, company_user_id)
       cross join lateral (
         select e.channel, e.seq, e.id, e.created_at, e.connection_id, e.body, e.traceparent from feed_event e
          where e.channel = w.id and e.company_user_id = w.company_user_id and e.created_at > ${backlogFrom(now)}
            and not (e.collapse_key is not null and exists (
              select from feed_event n
               where n.channel = e.channel and n.company_user_id = e.company_user_id and n.collapse_key = e.collapse_key and n.seq > e.seq))
          order by e.seq limit 1) e`;
    return events.map((event) => ({ webhook: webhooks.find(({ webhook_id }) => webhook_id === event.channel)!, event }));
  }

  /** Deletes delivered events. The outcome is `locked` when another transaction keeps the event, `gone` when it does not exist any more. */
  async settle(delivered: readonly PendingDelivery[]): Promise<WriteOutcome[]> {
    const done = await removeDelivered(
      this.db,
      delivered.map(({ webhook: { company_user_id, webhook_id: channel }, event: { seq, created_at } }) => ({
        company_user_id,
        channel,
        seq,
        created_at,
      })),
    );
    if (done.size === delivered.length) return delivered.map(() => 'done');
    const locked = await this.standing(delivered.filter(({ webhook }) => !done.has(webhook.webhook_id)));
    return delivered.map(({ webhook: { webhook_id } }) => (done.has(webhook_id) ? 'done' : locked.has(webhook_id) ? 'locked' : 'gone'));
  }

  /** Returns the webhooks of companies that are not copied whose events still exist, because another transaction kept them. */
  private async standing(deliveries: readonly PendingDelivery[]): Promise<ReadonlySet<string>> {
    const [oldest, newest] = span(deliveries);
    const rows = await many<{ channel: string }>(this.db)`
      select e.channel from unnest(${deliveries.map(({ webhook }) => webhook.webhook_id)}::text[],
        ${deliveries.map(({ event }) => event.seq)}::bigint[]) d (channel, seq)
        join feed_event e on e.channel = d.channel and e.seq = d.seq and e.created_at >= ${oldest} and e.created_at < ${newest}
        join profile p on p.user_id = e.company_user_id and p.home = any (${DELIVERY_STATES})`;
    return new Set(rows.map(({ channel }) => channel));
  }

  /** Writes the new health of many webhooks in one transaction. Parking is one write: later events stay in the queue. @spec D1-3.2 */
  async change(changes: readonly ConcludedDelivery[], now: Date): Promise<WriteOutcome[]> {
    return this.db.transaction(async (tx) => {
      const concluded = changes.map(({ pending: { webhook }, change }) => ({ webhook, change }));
      const outcomeOf = await changeHealth(tx, concluded, now);
      const replayed = changes.filter(
        ({ pending, change }) => outcomeOf(pending.webhook) === 'done' && change.also.includes('replay backlog'),
      );
      for (const { pending } of replayed) await removeWithReplaced(tx, pending.webhook.webhook_id, pending.event.seq);
      return changes.map(({ pending }) => outcomeOf(pending.webhook));
    });
  }

  /** Begins to probe the endpoints whose grace is over. Returns the ids of their webhooks. @spec D1-3.2 */
  async beginProbes(shards: readonly number[], now: Date): Promise<string[]> {
    const toProbe = await many<WebhookRow>(this.db)`
      select w.* from webhook w
       where w.health = 'bad' and w.next_probe_at <= ${now} and w.enabled and webhook_shard(w.webhook_id) = any (${shards})
       order by w.next_probe_at
       limit 500`;
    const changes = toProbe.map((webhook) => ({
      webhook,
      change: { ...GRACE_OVER, message: `The webhook to ${hostOf(webhook)} is probed with the oldest event that waits` },
    }));
    if (toProbe.length === 0) return [];
    const outcomeOf = await this.db.transaction((tx) => changeHealth(tx, changes, now));
    return toProbe.filter((webhook) => outcomeOf(webhook) === 'done').map(({ webhook_id }) => webhook_id);
  }

  /** Ends the grace of an endpoint that seems to work again: the next look for endpoints to probe finds it. @gap D1-3.2 */
  async probeAtOnce({ webhook_id, company_user_id, sealed_secrets }: WebhookRow, now: Date): Promise<void> {
    await writeIfHome(
      this.db,
      company_user_id,
      (tx) => execute(tx)`
      update webhook set next_probe_at = ${now}
       where webhook_id = ${webhook_id} and sealed_secrets = ${sealed_secrets} and health = 'bad' and next_probe_at > ${now}`,
    );
  }

  /** Returns every webhook that has events to deliver and is not in hand, for webhooks whose notification was missed. */
  async waiting(shards: readonly number[], inHand: readonly string[], now: Date): Promise<string[]> {
    const rows = await many<{ webhook_id: string }>(this.db)`
      select w.webhook_id from webhook w
       where w.enabled and w.health <> 'bad' and webhook_shard(w.webhook_id) = any (${shards}) and w.webhook_id <> all (${inHand})
         and exists (
           select from feed_event e
            where e.channel = w.webhook_id and e.company_user_id = w.company_user_id and e.created_at > ${backlogFrom(now)})`;
    return rows.map(({ webhook_id }) => webhook_id);
  }

  /** Returns the webhooks of companies that leave which are not yet marked as settled. @gap D1-5.6 */
  unsettled(shards: readonly number[]) {
    return many<{ company_user_id: string; webhook_ids: string[] }>(this.db)`
      select w.company_user_id, array_agg(w.webhook_id) as webhook_ids
        from profile p join webhook w on w.company_user_id = p.user_id
       where p.home = 'settling' and not w.is_settled and webhook_shard(w.webhook_id) = any (${shards})
       group by w.company_user_id`;
  }

  /** Marks webhooks of which nothing is under way as settled. While a step of the move holds the company, they are found again. */
  async settled(company_user_id: string, webhook_ids: readonly string[]): Promise<void> {
    await this.db.transaction(async (tx) => {
      const locked = await tryHoldHomes(tx, [company_user_id], ['settling']);
      if (locked.size > 0) await execute(tx)`update webhook set is_settled = true where webhook_id = any (${webhook_ids})`;
    });
  }

  /** Returns one webhook for a test delivery. */
  target(webhook_id: string): Promise<WebhookTarget | undefined> {
    return one<WebhookTarget>(this.db)`
      select w.*, p.public_key as account_public_key from webhook w join profile p on p.user_id = w.company_user_id
       where w.webhook_id = ${webhook_id}`;
  }
}

/** Returns when the oldest event was queued, and a moment after the newest was. */
function span(deliveries: readonly PendingDelivery[]): [Date, Date] {
  const times = deliveries.map(({ event }) => event.created_at.getTime());
  return [new Date(Math.min(...times)), new Date(Math.max(...times) + 1)];
}

type OutcomeOf = (webhook: WebhookRow) => WriteOutcome;

/**
 * Changes the health of webhooks. A webhook is not changed when it is on its way to another region, or when it is no longer as the decision
 * saw it. Every change of its configuration seals its secrets anew, so a failure of its old address does not make the new one bad.
 */
async function changeHealth(
  tx: EntityManager,
  changes: readonly { webhook: WebhookRow; change: HealthChange }[],
  now: Date,
): Promise<OutcomeOf> {
  const webhooks = changes.map(({ webhook }) => webhook);
  const { free: ours, locked } = await hold(tx, webhooks);
  const free = changes.filter(({ webhook }) => ours.has(webhook.webhook_id));
  const column = <T>(of: (webhook: WebhookRow, change: HealthChange) => T) => free.map(({ webhook, change }) => of(webhook, change));
  const rows = await many<{ webhook_id: string }>(tx)`
    update webhook w set health = c.next, health_since = ${now}, next_probe_at = c.next_probe_at
      from unnest(${column(({ webhook_id }) => webhook_id)}::text[],
                  ${column(({ health }) => health)}::text[],
                  ${column(({ sealed_secrets }) => sealed_secrets)}::text[],
                  ${column((_, { next }) => next)}::text[],
                  ${column((_, { also }) => (also.includes('start grace') ? nextProbe(now) : null))}::timestamptz[])
             c (webhook_id, health, sealed_secrets, next, next_probe_at)
     where w.webhook_id = c.webhook_id and w.health = c.health and w.sealed_secrets = c.sealed_secrets
    returning w.webhook_id`;
  const changed = new Set(rows.map(({ webhook_id }) => webhook_id));
  const logged = free.filter(({ webhook, change }) => changed.has(webhook.webhook_id) && change.also.includes('log change'));
  await writeLogs(
    tx,
    logged.map(({ webhook, change: { next, message } }) => ({
      own: webhook,
      kind: LOG_KIND[next],
      message,
      webhook_id: webhook.webhook_id,
    })),
    now,
  );
  return ({ webhook_id }) => (locked.has(webhook_id) ? 'locked' : changed.has(webhook_id) ? 'done' : 'gone');
}
