import type { Consumer, ConsumerInfo, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs, type Backoff } from '../resilience/backoff.ts';
import { monotonic } from '../resilience/monotonic.ts';
import { poll } from '../resilience/poll.ts';
import { count, RUNTIME_METRICS, type Log } from '../telemetry/index.ts';
import { DeliveredMessages } from './delivered-messages.ts';
import { endPull } from './end-pull.ts';
import type { Outcome } from './message-processor.ts';

/** How long one pull waits at the server. Half of it is the heartbeat by which a pull that a server forgot is noticed. */
const PULL_MS = 5000;
/** How long to wait for messages that are not here before ours are handed back to a replica; those that did not suffice double it. */
const BACKOFF = { firstMs: 50, longestMs: 10_000, jitter: 3 };
/** How often the server is asked meanwhile. */
const QUESTIONS = 20;
/** How often one that stays aside looks whether a replica still pulls. */
const ASIDE = { firstMs: 200, longestMs: 1000, jitter: 1 };
/** How often it is said that the server does not say what is unacked. */
const SAID_EVERY_MS = 60_000;

interface Processor {
  group: { 'messaging.consumer.group.name': string };
  prepare(message: JsMsg): void;
  process(message: JsMsg): Promise<Outcome>;
  processTogether(messages: readonly JsMsg[]): Promise<readonly JsMsg[]>;
  handBack(message: JsMsg, pauseMs: number): unknown;
}

export interface BatchLimits {
  most: number;
  ackWaitMs: number;
  /** Aborted when the consumer is asked to stop. */
  stopping: AbortSignal;
}

/**
 * Handles the messages of a consumer in their order, several at once, on as many replicas as there are. A message is handled only when
 * every older one that is not acked is here too. Where replicas have some each, the one that waits longest to no avail keeps its place, and
 * the others hand theirs back and stay aside for as long as it pulls; chance says who, so that each gets its share of the consumers.
 */
export class OrderedBatches {
  private readonly delivered = new DeliveredMessages();
  private messages: ConsumerMessages | undefined;
  /** How often in a row it waited in vain. */
  private timesInVain = 0;
  /** Whether a replica pulled too when the server was last asked. */
  private isShared = false;
  private isAside = false;
  /** Why the server did not say what is unacked when it was last asked, and when that was last logged. */
  private failure: unknown;
  private saidAt: number | undefined;

  constructor(
    private readonly processor: Processor,
    private readonly consumer: Pick<Consumer, 'fetch' | 'info'>,
    private readonly limits: BatchLimits,
    private readonly log: Log,
    private readonly backoff: Backoff = BACKOFF,
  ) {}

  /** Settles when it was asked to stop; throws when the consumer is lost. */
  async run(): Promise<void> {
    const { stopping, ackWaitMs } = this.limits;
    const alive = setInterval(() => sayAlive(this.delivered), ackWaitMs / 4).unref();
    // At once, and so before the last acks: they would let the server send more to a pull that nobody reads.
    const end = () => void (this.messages && endPull(this.messages));
    stopping.addEventListener('abort', end);
    // How it ended is asked for when what is here is handled: a failure that nobody waits for would end the process.
    const pulling = Promise.allSettled([this.pull().finally(() => this.delivered.end())]);
    try {
      while ((await this.delivered.some()) && !stopping.aborted) {
        const all = await this.allUnacked();
        if (all) await this.handle(all.slice(0, this.limits.most));
        else if (this.delivered.isOver) break; // what is missing does not come any more: it comes to the consumer that is made anew
        else this.waitedInVain();
      }
    } finally {
      clearInterval(alive);
      stopping.removeEventListener('abort', end);
      await pulling;
      for (const message of this.delivered.release()) this.processor.handBack(message, 0);
    }
    const [pulled] = await pulling;
    if (pulled.status === 'rejected') throw pulled.reason;
  }

  /** One pull after the other. Each ends by itself, so no message is on its way to somebody who has left. */
  private async pull(): Promise<void> {
    const { most, stopping } = this.limits;
    while (!stopping.aborted) {
      const messages = await this.consumer.fetch({ max_messages: most, expires: PULL_MS });
      this.messages = messages;
      if (stopping.aborted) void endPull(messages); // while it is read
      for await (const message of messages) this.take(message);
      if (this.isAside) await this.untilNobodyPulls();
      this.isAside = false;
    }
  }

  /** What was on its way when it stepped aside goes to the replica too. */
  private take(message: JsMsg): void {
    if (this.isAside) return void this.processor.handBack(message, 0);
    this.processor.prepare(message);
    this.delivered.add(message);
  }

  private waitedInVain(): void {
    if (this.delivered.size === 0 || this.limits.stopping.aborted) return;
    this.timesInVain += 1;
    if (this.failure !== undefined) this.sayUnanswered(this.failure);
    // Where nobody else pulls, they are on their way to here, or come again when the server misses whoever had them.
    if (this.isShared) this.stepAside();
  }

  /**
   * Asks until all that the server waits for is here, none of it is any more, no more comes, or the time for it is over. What was on its
   * way to here mostly comes right behind the answer: then it asks again at once.
   */
  private async allUnacked(): Promise<JsMsg[] | undefined> {
    const withinMs = backoffMs(this.backoff, this.timesInVain + 1);
    let worthAsking = 1;
    const ask = async () => {
      const info = await this.info();
      this.isShared = info !== undefined && info.num_waiting > 1;
      worthAsking = Math.max(info?.num_ack_pending ?? 0, this.delivered.size + 1);
      const all = info && this.delivered.allOf(info);
      const isInVain = this.delivered.size === 0 || this.delivered.isOver;
      return all ?? (isInVain ? [] : undefined);
    };
    const sooner = () => this.delivered.atLeast(worthAsking);
    const all = await poll(ask, { everyMs: withinMs / QUESTIONS, withinMs, signal: this.limits.stopping, sooner }).catch(() => undefined);
    return all?.length ? all : undefined;
  }

  /** What the server says of the consumer, if it does. */
  private async info(): Promise<ConsumerInfo | undefined> {
    try {
      const info = await this.consumer.info();
      this.failure = undefined;
      if (this.saidAt !== undefined) this.log.info('the server says again what is unacked: events are handled', this.processor.group);
      this.saidAt = undefined;
      return info;
    } catch (error) {
      count(RUNTIME_METRICS.busInfoFailed, this.processor.group);
      this.failure = error;
      return undefined;
    }
  }

  /** Nothing else would tell that events wait here: the connection stands, and the pull is answered. */
  private sayUnanswered(error: unknown): void {
    if (this.saidAt !== undefined && monotonic() - this.saidAt < SAID_EVERY_MS) return;
    this.saidAt = monotonic();
    this.log.warn('the server does not say what is unacked: events wait until it does', { ...this.processor.group, error });
  }

  private stepAside(): void {
    this.isAside = true;
    count(RUNTIME_METRICS.busSteppedAside, this.processor.group);
    for (const message of this.delivered.release()) this.processor.handBack(message, 0);
  }

  /** Its own pull has ended, so whoever waits for messages at the server is a replica. */
  private async untilNobodyPulls(): Promise<void> {
    for (let looks = 1; !this.limits.stopping.aborted; looks++) {
      await this.pause(backoffMs(ASIDE, looks));
      const info = await this.info();
      if (!info || info.num_waiting === 0) return; // what is wrong with the consumer, the next pull will say
    }
  }

  private async handle(batch: readonly JsMsg[]): Promise<void> {
    this.timesInVain = 0;
    const done = batch.length > 1 ? await this.processor.processTogether(batch) : [];
    if (done.length === 0) return this.handleEach(batch);
    for (const message of done) this.delivered.delete(message);
  }

  /** Those behind one that comes again come again with it: none overtakes. */
  private async handleEach(batch: readonly JsMsg[]): Promise<void> {
    for (const message of batch) {
      if (this.limits.stopping.aborted) return;
      const outcome = await this.processor.process(message);
      this.delivered.delete(message);
      if (outcome === 'done') continue;
      for (const behind of this.delivered.release()) this.processor.handBack(behind, outcome.againInMs);
      return this.pause(outcome.againInMs);
    }
  }

  private async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.limits.stopping }).catch(() => undefined);
  }
}

/** To the server they are being worked on, those that wait for their turn too. Most are acked before this is worth a message. */
function sayAlive(delivered: DeliveredMessages): void {
  for (const message of delivered.heldSinceAsked()) message.working();
}
