import { Inject, Injectable } from '@nestjs/common';
import { DRAIN_ANSWER, DRAIN_EVENTS, Refusal, type CustomerEvent, type feed, type FeedEvent, type Output } from '@cds/contracts';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { together } from '@cds/runtime/db';
import { Followed } from '@cds/runtime/http';
import { FairSemaphore, type Saturated } from '@cds/runtime/resilience';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { newId } from '../ids.ts';
import { acknowledge, lockChannel, notifyDelivery, oldest, putLease, remove } from './channel.store.ts';
import { SLOTS, slotsIn, type SlotSource } from './slots.hook.ts';
import { isWanted, slotOf, presentEvent, type QueuedEvent } from './present-event.ts';
import { METRICS } from './metrics.ts';

type Drained<E = FeedEvent> = Omit<Output<typeof feed.drainChanges>, 'events'> & { events: E[] };

/** Connections that drains may hold at once, in a pool of their own: slow readers keep nobody else waiting. */
export const DRAINS_AT_ONCE = 10;
/** So many of them for one company, whatever its services and webhooks: its own slow readers are in nobody else's way. @gap D1-4.3 */
const DRAINS_OF_A_COMPANY = 3;
/** How long a drain waits for a place, and then for the one before it. */
const WAIT_MS = 2000;
/** Slots that are read at once: their values may be long, and the answer may be full before all are needed. */
const SLOTS_AT_ONCE = 50;

/** A transaction on the drains' own pool, in which rows of a company may be written. */
export interface DrainWrites {
  /** Its first statements, which only read and lock, are sent with its begin. */
  writeFrom<F, T>(
    company_user_id: string,
    first: (tx: EntityManager) => Promise<F>,
    work: (tx: EntityManager, found: F) => Promise<T>,
  ): Promise<T>;
}
export const DRAIN_WRITES = Symbol('DrainWrites');

/** A channel, and the company it belongs to. */
export interface Channel {
  company_user_id: string;
  channel: string;
  /** Where it is the backlog of a webhook: the events that the webhook wants. */
  wanted?: readonly string[] | undefined;
}

/**
 * Deletes what it returns, at least once: the transaction stays open while the answer leaves. It ends for good when the answer was
 * written whole, and is taken back, events and ids as they were, when the connection breaks or the process dies. @spec D1-4.3
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
   * Answers as soon as the events are at hand, and goes on until their answer has left. Which events a channel has is up to those who
   * queue them: the channel of a service has others than that of a customer.
   */
  drain<E extends FeedEvent | CustomerEvent = FeedEvent>(from: Channel): Promise<Drained<E> | Followed<Drained<E>>> {
    return this.drainQueued(from) as Promise<Drained<E> | Followed<Drained<E>>>;
  }

  private drainQueued(from: Channel): Promise<Drained | Followed<Drained>> {
    return new Promise((answer, refuse) => {
      const untilLeft = (drained: Drained) =>
        new Promise<void>((sent, cut) => {
          const left = (wasWritten: boolean) => (wasWritten ? sent() : cut(new AnswerCut()));
          answer(new Followed(drained, { left, withinMs: DRAIN_ANSWER.seconds * 1000 }));
        });
      this.takeAway(from, untilLeft).then(answer, (error: unknown) => {
        this.note(error);
        refuse(error);
      });
    });
  }

  /**
   * Hands events out and deletes them when they are acknowledged. It needs no open transaction meanwhile. Where there is nothing to
   * acknowledge the next call begins anew. @gap D1-4.3
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
      await remove(
        tx,
        from.channel,
        taken.map(({ seq }) => seq),
      );
      if (taken.length > 0) await untilLeft(oldest);
      return oldest;
    });
    count(METRICS.feedDrained, {}, drained.events.length);
    return drained;
  }

  /** A transaction in which nobody else reads the channel; the delivery reads it anew. What is read first is sent with its begin. */
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

  /** The oldest of a channel. One is read beyond the most of an answer, to know whether there are more. */
  private waitingIn(tx: EntityManager, { channel }: Channel): Promise<QueuedEvent[]> {
    return oldest(tx, channel, { now: this.clock.now(), limit: DRAIN_EVENTS + 1 });
  }

  /** The oldest behind those that are acknowledged. */
  private async waitingBehind(tx: EntityManager, from: Channel, acknowledged: string): Promise<QueuedEvent[]> {
    const [drained, waiting] = await together([acknowledge(tx, from.channel, acknowledged), this.waitingIn(tx, from)]);
    count(METRICS.feedDrained, {}, drained);
    return waiting;
  }

  /** As many of them as fit into an answer. */
  private async takeFrom(
    tx: EntityManager,
    { wanted = [] }: Channel,
    waiting: readonly QueuedEvent[],
  ): Promise<Drained & { taken: QueuedEvent[] }> {
    const events: FeedEvent[] = [];
    const taken: QueuedEvent[] = [];
    let bytes = 0;
    for await (const { queued, event: presented } of this.present(tx, waiting.slice(0, DRAIN_EVENTS))) {
      const event = presented && isWanted(wanted, presented) ? presented : undefined;
      bytes += event ? Buffer.byteLength(JSON.stringify(event)) : 0;
      if (bytes > DRAIN_ANSWER.bytes && events.length > 0) break;
      taken.push(queued);
      if (event) events.push(event);
    }
    return { events, taken, more: taken.length < waiting.length };
  }

  /** Each with the state its slot has now; without an event where a newer one takes its place. @spec D1-6.1 @spec D1-6.2 */
  private async *present(
    tx: EntityManager,
    waiting: readonly QueuedEvent[],
  ): AsyncGenerator<{ queued: QueuedEvent; event: FeedEvent | undefined }> {
    for (let first = 0; first < waiting.length; first += SLOTS_AT_ONCE) {
      const some = waiting.slice(first, first + SLOTS_AT_ONCE);
      const slots = some.flatMap((queued) => slotOf(queued) ?? []);
      const states = slots.length > 0 ? await slotsIn(tx, this.slots).statesOf(slots) : new Map<string, never>();
      for (const queued of some) yield { queued, event: queued.is_replaced ? undefined : presentEvent(queued, states) };
    }
  }

  /** Once the answer is on its way there is no caller left to refuse, so it is logged. */
  private note(error: unknown): void {
    if (error instanceof Refusal) return;
    count(METRICS.feedCut);
    this.log.warn('a drain was taken back, its events come again', { error });
  }
}

const comeAgain = (reason: string): Refusal => new Refusal('rate_limit.exceeded').because(reason).after(1);

/** Come again when the others are through. @gap D1-4.3 */
const beingDrained = (): Refusal => comeAgain('This feed is being drained: drain it one call at a time');
const tooMany = (why: Saturated): Refusal => comeAgain(TOO_MANY[why]);
const TOO_MANY: Record<Saturated, string> = {
  owner: 'Your company drains as many feeds as it can at once: read the answers faster, or drain fewer at a time',
  total: 'Many feeds are being drained: come again in a moment',
};

/** Which trace each event's change belongs to, where it was traced. */
const tracesOf = (taken: readonly QueuedEvent[]) =>
  taken.flatMap(({ id, traceparent }) => (traceparent === null ? [] : [{ id, traceparent }]));

/** What the first call with a lease says. */
const NEW_LEASE = 'new';
const LOCK_NOT_AVAILABLE = '55P03';

class AnswerCut extends Error {
  constructor() {
    super('The answer did not reach the caller');
    this.name = 'AnswerCut';
  }
}
