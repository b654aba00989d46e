import { DRAIN_ANSWER, type FeedEvent } from '@codase/contracts';
import { move, signalOfAnswer, WEBHOOK_HEALTH, type WebhookHealth } from '@codase/domain';
import type { Clock } from '@codase/runtime/clock';
import { Batcher, FairSemaphore, retry } from '@codase/runtime/resilience';
import type { HeldLeases } from '@codase/runtime/resilience/leases';
import type { Log } from '@codase/runtime/telemetry';
import { isWanted, slotName, slotOf, presentEvent, type SlotKey, type Slots, type SlotState } from '../../feed/index.ts';
import { newId } from '../../../kit/ids.ts';
import type { ConcludedDelivery, DeliveriesStore } from './deliveries.store.ts';
import { isReplay, type PendingDelivery, type DeliveryResult, type WriteOutcome, type WebhookTarget } from './pending-delivery.ts';
import { WebhookSchedule } from './webhook-schedule.ts';
import { DEADLINE_MS, type Outgoing } from './outgoing.service.ts';
import { SHARD_NAMES, shardOf } from './shards.ts';
import { METRICS } from '../metrics.ts';
import { hostOf } from '../webhook-row.ts';

/**
 * How many POSTs run at once (a company that is alone gets half of them), how many deliveries are under way including those whose rows are
 * being deleted, and for how many webhooks events are read in one statement.
 */
const MAX = { posting: 512, underWay: 1024, read: 500 } as const;
/** How many events of a webhook are read ahead: the fewer webhooks are read together, the more of each. */
const AHEAD = { least: 8, most: 32, together: 500 } as const;
/** A lease must outlive the deadline by this much, because a timer may be late. */
const MARGIN_MS = 1000;
/** The more deliveries are under way, the longer the first of a batch waits for others. A single delivery does not wait at all. */
const SETTLE = { waitMs: 20, perMs: 10, most: 500 } as const;
/** A delivery that cannot be written down would be sent again, so writing it is worth a few attempts, whatever the error. */
const WRITE = {
  bound: { attempts: 4 },
  backoff: { firstMs: 200, longestMs: 800 },
  metric: METRICS.webhookWritesRetried,
  isWorth: () => true,
} as const;
/** Beginning the replay of a long backlog takes long, so replays are written in small batches, apart from endpoints that fail. */
const REPLAY = { most: 20 } as const;
/** A write is repeated while another transaction holds its rows, for longer than the answer to a drain may take to leave. */
const WHILE_LOCKED = {
  bound: { attempts: 2 * (DRAIN_ANSWER.seconds + 2) },
  backoff: { firstMs: 500, longestMs: 500 },
  metric: METRICS.webhookWritesBlocked,
  isWorth: (error: unknown) => error instanceof RowsLocked,
} as const;
const READ_AHEAD = { most: 500 } as const;

/** The text of the log about a new health of a webhook. */
const SAID: Record<WebhookHealth, (reason: string | null) => string> = {
  running: () => 'running again: what waits is delivered now',
  bad: (reason) => `bad: ${reason}. Its events wait until it is probed`,
  unknown: () => 'probed',
};

interface DispatcherParts {
  store: DeliveriesStore;
  outgoing: Outgoing;
  slots: Slots;
  leases: Pick<HeldLeases<never>, 'covers'>;
  clock: Clock;
  log: Log;
  /** Whether saving is paused in the region, or the region is out of order: then nothing is sent, because it could not be written down. */
  isPaused(): boolean;
}

/** An event that is in no queue, and the headers that say so. */
export interface MadeUp {
  event: FeedEvent;
  headers: Record<string, string>;
}

/** Delivers the waiting events of the webhooks of one region: webhooks take turns, and each gets its events in order. @spec D1-6.3 */
export class Dispatcher {
  private readonly schedule = new WebhookSchedule<PendingDelivery>(({ webhook }) => webhook.company_user_id);
  /** A company may have as many permits as it leaves free: half when it is alone, and one is always left for the next company. */
  private readonly posting = new FairSemaphore({ total: MAX.posting, each: (free) => free });
  private readonly underWay = new Set<Promise<void>>();
  /** The events under way that are in no queue. */
  private readonly beside = new Set<Promise<void>>();
  private readonly together = { most: SETTLE.most, waitMs: () => Math.min(SETTLE.waitMs, this.underWay.size / SETTLE.perMs) };
  private readonly settled = new Batcher(
    (deliveries: readonly PendingDelivery[]) => retryWrite(() => this.parts.store.settle(deliveries)),
    this.together,
  );
  private readonly changed = new Batcher((changes: readonly ConcludedDelivery[]) => this.change(changes), this.together);
  private readonly replayed = new Batcher((changes: readonly ConcludedDelivery[]) => this.change(changes), { ...this.together, ...REPLAY });
  private readonly slots = new Batcher((keys: readonly SlotKey[]) => this.statesOf(keys), READ_AHEAD);
  private isReading = false;
  private isGoingOn = false;
  private isLeaving = false;

  constructor(private readonly parts: DispatcherParts) {}

  /** The webhooks whose events are being read or delivered, or are about to be. */
  get inHand(): string[] {
    return this.schedule.ids;
  }

  /** Whether this process delivers for the webhook. */
  isOurs(webhook_id: string): boolean {
    return this.covers(webhook_id, 0);
  }

  /** Schedules a webhook for which something new may wait. Ignored when another process delivers for it. */
  wake(webhook_id: string): void {
    if (this.isOurs(webhook_id)) this.schedule.wake(webhook_id);
    this.goOnSoon();
  }

  /** Schedules webhooks for which waiting events were found. */
  found(webhook_ids: readonly string[]): void {
    for (const id of webhook_ids) if (this.isOurs(id)) this.schedule.find(id);
    this.goOn();
  }

  /** Reads the events of a webhook anew, after the webhook was changed or deleted. */
  renew(webhook_id: string): void {
    if (this.isOurs(webhook_id)) this.schedule.renew(webhook_id);
    this.goOn();
  }

  /** Reads all events anew after missed notifications: what was read ahead may be out of date. */
  renewAll(): void {
    for (const id of this.schedule.ids) this.schedule.renew(id);
    this.goOn();
  }

  /** Drops webhooks that another process delivers for by now. */
  dropOthers(): void {
    for (const id of this.schedule.ids) if (!this.isOurs(id)) this.schedule.drop(id);
  }

  /** Drops what was read ahead and waits until nothing of these webhooks is under way. A company that leaves has none afterwards. */
  async settle(webhook_ids: readonly string[]): Promise<void> {
    await Promise.all(
      webhook_ids.map(async (id) => {
        this.schedule.renew(id);
        await this.schedule.turn(id);
        this.schedule.settled(id);
      }),
    );
    this.goOnSoon();
  }

  /**
   * Sends an event that is in no queue, when nothing else of the webhook is on its way. `read` returns the webhook as it is then; undefined
   * when the event is not to be sent any more. Returns undefined when nothing was sent: also when another process delivers for the webhook,
   * or this process is stopping. Such an event takes no place of a delivery: whoever sends it limits how many there are. @gap D1-4.7
   */
  sendBeside(webhook_id: string, read: () => Promise<WebhookTarget | undefined>, made: MadeUp): Promise<DeliveryResult | undefined> {
    const sent = this.sendInTurn(webhook_id, read, made);
    keepWhile(this.beside, sent.then(ignore, ignore));
    return sent;
  }

  /** Begins no new deliveries, and waits for those under way. */
  async leave(): Promise<void> {
    this.isLeaving = true;
    while (this.underWay.size + this.beside.size > 0) await Promise.all([...this.underWay, ...this.beside]);
  }

  private async sendInTurn(
    webhook_id: string,
    read: () => Promise<WebhookTarget | undefined>,
    { event, headers }: MadeUp,
  ): Promise<DeliveryResult | undefined> {
    await this.schedule.turn(webhook_id);
    try {
      const webhook = this.isLeaving ? undefined : await read();
      if (!webhook) return undefined;
      const ready = await this.parts.outgoing.prepare(webhook, event, event.id);
      return this.mayPost(webhook_id)
        ? await this.parts.outgoing.send({ ...ready, headers: { ...ready.headers, ...headers } }, null)
        : undefined;
    } finally {
      this.schedule.settled(webhook_id);
      this.goOnSoon();
    }
  }

  private goOn(): void {
    if (this.isLeaving || this.parts.isPaused()) return;
    this.deliverReady();
    if (!this.isReading) this.track(this.read());
  }

  private async read(): Promise<void> {
    this.isReading = true;
    for (let ids = this.schedule.takeWanting(MAX.read); ids.length > 0; ids = this.schedule.takeWanting(MAX.read)) {
      await this.readFor(ids);
      this.deliverReady();
    }
    this.isReading = false;
  }

  /** Reads events for webhooks. When this fails, the webhooks rest until the next look finds them. */
  private async readFor(ids: readonly string[]): Promise<void> {
    try {
      const rows = new Map<string, PendingDelivery[]>(ids.map((id) => [id, []]));
      const each = Math.max(AHEAD.least, Math.min(AHEAD.most, Math.floor(AHEAD.together / ids.length)));
      for (const pending of await this.parts.store.next(ids, each, this.parts.clock.now()))
        rows.get(pending.webhook.webhook_id)!.push(pending);
      for (const [id, deliveries] of rows) this.schedule.give(id, deliveries, deliveries.length < each);
    } catch (error) {
      this.parts.log.error('events could not be read for delivery', { error });
      for (const id of ids) this.schedule.rest(id);
    }
  }

  private deliverReady(): void {
    while (!this.isLeaving && !this.parts.isPaused() && this.underWay.size < MAX.underWay) {
      const next = this.schedule.takeReady((company) => this.posting.isFree(company));
      if (!next) return;
      if (this.mayPost(next.id)) this.track(this.deliver(next.id, next.row).then(() => this.goOnSoon()));
      else this.schedule.rest(next.id);
    }
  }

  private async deliver(id: string, pending: PendingDelivery): Promise<void> {
    try {
      const result = await this.post(id, pending);
      if (result === 'not wanted') await this.finish(id, pending);
      else await this.conclude(id, pending, result);
    } catch (error) {
      this.parts.log.error('a delivery was left for later', { error });
      this.schedule.rest(id);
    }
  }

  /** Sends the event, if the webhook still wants its kind, which may have changed since it was queued. @spec D1-2.9 @spec D1-6.1 */
  private async post(id: string, pending: PendingDelivery): Promise<DeliveryResult | 'not wanted'> {
    const release = this.posting.take(pending.webhook.company_user_id);
    try {
      const event = await this.eventAtDelivery(pending);
      if (!isWanted(pending.webhook.events, event)) return 'not wanted';
      const ready = await this.parts.outgoing.prepare(pending.webhook, event, pending.event.id);
      if (!this.mayPost(id)) throw new Error('The lease ran out while the delivery was prepared');
      return await this.parts.outgoing.send(ready, pending.event.traceparent);
    } finally {
      release();
      this.goOnSoon();
    }
  }

  private async conclude(id: string, pending: PendingDelivery, { status, reason }: DeliveryResult): Promise<void> {
    const { webhook } = pending;
    const step = move(WEBHOOK_HEALTH, webhook.health, signalOfAnswer(status ?? 'no connection'))!;
    if (step.next === webhook.health) return this.finish(id, pending);
    const message = `The webhook to ${hostOf(webhook)} is ${SAID[step.next](reason)}`;
    const isReplayed = step.next === 'running';
    const isChanged = await untilFree(isReplayed ? this.replayed : this.changed, { pending, change: { ...step, message } });
    this.schedule.rest(id);
    if (isReplayed || !isChanged) this.wake(id);
  }

  /** Deletes the row of the event. If it was already gone, the rows that were read ahead may be gone too. */
  private async finish(id: string, pending: PendingDelivery): Promise<void> {
    this.schedule.delivered(id);
    const isDone = await untilFree(this.settled, pending);
    if (!isDone || pending.webhook.health === 'unknown') this.schedule.renew(id);
    this.schedule.settled(id);
  }

  /** Returns the event with the current state of its slot, and with a new id unless it was parked. @spec D1-6.1 @spec D1-6.3 */
  private async eventAtDelivery(pending: PendingDelivery): Promise<FeedEvent> {
    const { event, webhook } = pending;
    const slot = slotOf({ ...event, company_user_id: webhook.company_user_id });
    const state = slot && (await this.slots.add(slot));
    const states = slot && state ? new Map([[slotName(slot), state]]) : new Map<string, SlotState>();
    return presentEvent({ ...event, id: isReplay(pending) ? event.id : newId('evt') }, states);
  }

  private async statesOf(keys: readonly SlotKey[]): Promise<(SlotState | undefined)[]> {
    const states = await this.parts.slots.statesOf(keys);
    return keys.map((key) => states.get(slotName(key)));
  }

  private change(changes: readonly ConcludedDelivery[]): Promise<WriteOutcome[]> {
    return retryWrite(() => this.parts.store.change(changes, this.parts.clock.now()));
  }

  /** Whether a delivery that begins now ends before another process can begin one: the lease lasts long enough. */
  private mayPost(webhook_id: string): boolean {
    return this.covers(webhook_id, DEADLINE_MS + MARGIN_MS);
  }

  private covers(webhook_id: string, forMs: number): boolean {
    return this.parts.leases.covers(SHARD_NAMES[shardOf(webhook_id)]!, forMs);
  }

  private track(work: Promise<void>): void {
    keepWhile(this.underWay, work);
  }

  /** Goes on once for many deliveries that end at about the same time. */
  private goOnSoon(): void {
    if (this.isGoingOn) return;
    this.isGoingOn = true;
    setImmediate(() => {
      this.isGoingOn = false;
      this.goOn();
    });
  }
}

const ignore = () => undefined;

/** Keeps work in a set until it ends. */
function keepWhile(underWay: Set<Promise<void>>, work: Promise<void>): void {
  const tracked = work.finally(() => underWay.delete(tracked));
  underWay.add(tracked);
}

const retryWrite = <T>(write: () => Promise<T>): Promise<T> => retry(write, WRITE);

/** Repeats a write while another transaction holds its rows, apart from its batch. Returns whether it was done. */
const untilFree = <In>(writes: Batcher<In, WriteOutcome>, item: In): Promise<boolean> =>
  retry(async () => {
    const outcome = await writes.add(item);
    if (outcome === 'locked') throw new RowsLocked('Another transaction locked a webhook or its events for too long');
    return outcome === 'done';
  }, WHILE_LOCKED);

class RowsLocked extends Error {}
