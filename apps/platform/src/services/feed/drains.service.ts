import { Inject, Injectable } from '@nestjs/common';
import { DRAIN_ANSWER, DRAIN_EVENTS, Refusal, type CustomerEvent, type feed, type FeedEvent, type Output } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { together } from '@codase/runtime/db';
import { TrackedAnswer } from '@codase/runtime/http';
import { FairSemaphore, type Saturated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { newId } from '../../kit/ids.ts';
import { acknowledge, lockChannel, notifyDelivery, oldest, putLease, remove, type OwnChannel } from './channel.store.ts';
import { SLOTS, slotsIn, type SlotSource } from './slots.hook.ts';
import { isWanted, slotOf, presentEvent, type QueuedEvent } from './present-event.ts';
import { METRICS } from './metrics.ts';

type Drained<E = FeedEvent> = Omit<Output<typeof feed.drainChanges>, 'events'> & { events: E[] };

/** The most database connections that drains hold at once, in a pool of their own: slow readers delay no other work. */
export const DRAINS_AT_ONCE = 10;
/** The most drains of one company at once, of all its services and webhooks: slow readers do not block others. @gap D1-4.3 */
const DRAINS_OF_A_COMPANY = 3;
/** How long a drain waits for a permit, and then for the drain before it on the same channel. */
const WAIT_MS = 2000;
/** The number of slots that are read at once: their values may be long, and the answer may be full before all are needed. */
const SLOTS_AT_ONCE = 50;

/** Transactions on the pool of drains, in which rows of a company may be written. */
interface DrainWrites {
  /** Runs a transaction whose first statements, which only read and lock, are sent together with its `begin`. */
  writeFrom<F, T>(
    company_user_id: string,
    first: (tx: EntityManager) => Promise<F>,
    work: (tx: EntityManager, found: F) => Promise<T>,
  ): Promise<T>;
}
export const DRAIN_WRITES = Symbol('DrainWrites');

interface Channel extends OwnChannel {
  /** When the channel is the backlog of a webhook: the kinds of events that the webhook receives. */
  wanted?: readonly string[] | undefined;
}

/**
 * Reads events and deletes them, with delivery at least once: the transaction stays open while the answer is sent. It commits when the
 * whole answer was written. It is rolled back, with events and ids as before, when the connection breaks or the process dies. @spec D1-4.3
 */
@Injectable()
export class Drains {
  private readonly capacity = new FairSemaphore(
    { total: DRAINS_AT_ONCE, each: DRAINS_OF_A_COMPANY, queuedEach: DRAINS_OF_A_COMPANY, waitMs: WAIT_MS },
    tooMany,
  );

  constructor(
    @Inject(DRAIN_WRITES) private readonly home: DrainWrites,
    @Inject(SLOTS) private readonly slots: readonly SlotSource[],
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * Returns as soon as the events are read, and keeps the transaction open until their answer was sent. The events of a channel are those
   * that were queued for it: the channel of a service has other kinds than that of a customer.
   */
  drain<E extends FeedEvent | CustomerEvent = FeedEvent>(from: Channel): Promise<Drained<E> | TrackedAnswer<Drained<E>>> {
    const drained = new Promise<Drained | TrackedAnswer<Drained>>((answer, refuse) => {
      const untilLeft = (drained: Drained) =>
        new Promise<void>((sent, cut) => {
          const left = (wasWritten: boolean) => (wasWritten ? sent() : cut(new AnswerCut()));
          answer(new TrackedAnswer(drained, { left, withinMs: DRAIN_ANSWER.seconds * 1000 }));
        });
      this.takeAway(from, untilLeft).then(answer, (error: unknown) => {
        this.note(error);
        refuse(error);
      });
    });
    return drained as Promise<Drained<E> | TrackedAnswer<Drained<E>>>;
  }

  /**
   * Hands events out under a lease, and deletes them when the next call acknowledges it. No transaction is open meanwhile. When no events
   * were handed out, the answer says that the next call begins a new lease. @gap D1-4.3
   */
  lease(from: Channel, acknowledged: string): Promise<Drained> {
    const isFirst = acknowledged === NEW_LEASE;
    const first = (tx: EntityManager) => (isFirst ? this.waitingIn(tx, from) : Promise.resolve(undefined));
    return this.inTurn(from, first, async (tx, found) => {
      const waiting = found ?? (await this.waitingBehind(tx, from, acknowledged));
      const { taken, ...drained } = await this.takeFrom(tx, from, waiting);
      if (taken.length === 0) return { ...drained, lease: NEW_LEASE };
      const lease = newId('lease');
      await putLease(tx, from, { lease, seqs: taken.map(({ seq }) => seq), now: this.clock.now() });
      return { ...drained, lease, traces: tracesOf(taken) };
    });
  }

  private async takeAway(from: Channel, untilLeft: (drained: Drained) => Promise<void>): Promise<Drained> {
    const first = (tx: EntityManager) => this.waitingIn(tx, from);
    const drained = await this.inTurn(from, first, async (tx, waiting) => {
      const { taken, ...oldest } = await this.takeFrom(tx, from, waiting);
      await remove(tx, from.channel, taken);
      if (taken.length > 0) await untilLeft(oldest);
      return oldest;
    });
    count(METRICS.feedDrained, {}, drained.events.length);
    return drained;
  }

  /** Runs a transaction as the only reader of the channel; a backlog is then read anew. `first` is sent with the `begin`. */
  private async inTurn<F, T>(
    { company_user_id, channel, wanted }: Channel,
    first: (tx: EntityManager) => Promise<F>,
    work: (tx: EntityManager, found: F) => Promise<T>,
  ): Promise<T> {
    const release = await this.capacity.acquire(company_user_id);
    try {
      return await this.home.writeFrom(
        company_user_id,
        (tx) => together([lockChannel(tx, channel, { withinMs: WAIT_MS }), first(tx)]),
        async (tx, [, found]) => {
          if (wanted) await notifyDelivery(tx, channel);
          return work(tx, found);
        },
      );
    } catch (error) {
      throw (error as { code?: string }).code === LOCK_NOT_AVAILABLE ? beingDrained() : error;
    } finally {
      release();
    }
  }

  /** Reads the oldest events of a channel: one more than fits into an answer, to know whether there are more. */
  private waitingIn(tx: EntityManager, from: Channel): Promise<QueuedEvent[]> {
    return oldest(tx, from, { now: this.clock.now(), limit: DRAIN_EVENTS + 1 });
  }

  /** Acknowledges a lease, and reads the oldest events after those that it deleted. */
  private async waitingBehind(tx: EntityManager, from: Channel, acknowledged: string): Promise<QueuedEvent[]> {
    const [drained, waiting] = await together([acknowledge(tx, from.channel, acknowledged), this.waitingIn(tx, from)]);
    count(METRICS.feedDrained, {}, drained);
    return waiting;
  }

  /** Takes as many of the events as fit into an answer. */
  private async takeFrom(
    tx: EntityManager,
    { company_user_id, wanted = [] }: Channel,
    waiting: readonly QueuedEvent[],
  ): Promise<Drained & { taken: QueuedEvent[] }> {
    const events: FeedEvent[] = [];
    const taken: QueuedEvent[] = [];
    let bytes = 0;
    for await (const { queued, event: presented } of this.present(tx, company_user_id, waiting.slice(0, DRAIN_EVENTS))) {
      const event = presented && isWanted(wanted, presented) ? presented : undefined;
      bytes += event ? Buffer.byteLength(JSON.stringify(event)) : 0;
      if (bytes > DRAIN_ANSWER.bytes && events.length > 0) break;
      taken.push(queued);
      if (event) events.push(event);
    }
    return { events, taken, more: taken.length < waiting.length };
  }

  /** Presents each event with the present state of its slot; no event when a newer one replaces it. @spec D1-6.1 @spec D1-6.2 */
  private async *present(
    tx: EntityManager,
    company_user_id: string,
    waiting: readonly QueuedEvent[],
  ): AsyncGenerator<{ queued: QueuedEvent; event: FeedEvent | undefined }> {
    for (let first = 0; first < waiting.length; first += SLOTS_AT_ONCE) {
      const some = waiting.slice(first, first + SLOTS_AT_ONCE);
      const slots = some.flatMap((queued) => slotOf({ ...queued, company_user_id }) ?? []);
      const states = slots.length > 0 ? await slotsIn(tx, this.slots).statesOf(slots) : new Map<string, never>();
      for (const queued of some) yield { queued, event: queued.is_replaced ? undefined : presentEvent(queued, states) };
    }
  }

  /** Logs a failure: once the answer is being sent, there is no caller left to refuse. */
  private note(error: unknown): void {
    if (error instanceof Refusal) return;
    count(METRICS.feedCut);
    this.log.warn('a drain was taken back, its events come again', { error });
  }
}

const comeAgain = (reason: string): Refusal => new Refusal('rate_limit.exceeded').because(reason).after(1);

/** Refusals that ask the caller to repeat the call after the other drains. @gap D1-4.3 */
const beingDrained = (): Refusal => comeAgain('This feed is being drained: drain it one call at a time');
const tooMany = (why: Saturated): Refusal => comeAgain(TOO_MANY[why]);
const TOO_MANY: Record<Saturated, string> = {
  owner: 'Your company drains as many feeds as it can at once: read the answers faster, or drain fewer at a time',
  total: 'Many feeds are being drained: try again in a moment',
};

/** Returns the trace in which the change of each event was made, for events that have one. */
const tracesOf = (taken: readonly QueuedEvent[]) =>
  taken.flatMap(({ id, traceparent }) => (traceparent === null ? [] : [{ id, traceparent }]));

/** The lease that the first call names. */
const NEW_LEASE = 'new';
const LOCK_NOT_AVAILABLE = '55P03';

class AnswerCut extends Error {
  constructor() {
    super('The answer did not reach the caller');
    this.name = 'AnswerCut';
  }
}
