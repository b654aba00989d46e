import type { Consumer, ConsumerInfo, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { setTimeout as pause } from 'node:timers/promises';
import { backoffMs, type Backoff } from '../resilience/backoff.ts';
import { monotonic } from '../resilience/monotonic.ts';
import { poll } from '../resilience/poll.ts';
import { count, RUNTIME_METRICS, type Log } from '../telemetry/index.ts';
import { DeliveredMessages } from './delivered-messages.ts';
import { endPull } from './end-pull.ts';
import type { Outcome } from './message-processor.ts';

/** How long one pull waits at the server. Half of it is the interval of heartbeats, whose absence shows that the server forgot the pull. */
const PULL_MS = 5000;
/** How long a replica waits for missing messages before it hands its own back. Each wait in vain doubles the next one. */
const BACKOFF = { firstMs: 50, longestMs: 10_000, jitter: 3 };
/** How many times the server is asked during such a wait. */
const QUESTIONS = 20;
/** Pauses after which a replica that stays aside looks whether another one still pulls. */
const ASIDE = { firstMs: 200, longestMs: 1000, jitter: 1 };
/** The shortest time between two lines of the log that say that the server does not report what is unacked. */
const SAID_EVERY_MS = 60_000;

interface Processor {
  group: { 'messaging.consumer.group.name': string };
  prepare(message: JsMsg): void;
  process(message: JsMsg): Promise<Outcome>;
  processTogether(messages: readonly JsMsg[]): Promise<readonly JsMsg[]>;
  handBack(message: JsMsg, pauseMs: number): unknown;
  ackedElsewhere(message: JsMsg): void;
}

interface BatchLimits {
  most: number;
  ackWaitMs: number;
  /** Aborted when the consumer is asked to stop. */
  stopping: AbortSignal;
}

/**
 * Handles the messages of a consumer in their order, several at once, on as many replicas as there are. A message is handled only when
 * every older one that is not acked is here too. When several replicas hold some of the messages each, the one with the longest wait keeps
 * its messages. The others hand theirs back and stay aside for as long as it pulls. The length of the wait is random, so that each replica
 * gets its share of the consumers.
 */
export class OrderedBatches {
  private readonly delivered = new DeliveredMessages((message) => this.processor.ackedElsewhere(message));
  private messages: ConsumerMessages | undefined;
  /** How many waits in a row were in vain. */
  private timesInVain = 0;
  /** Whether another replica was pulling too when the server was last asked. */
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

  /** Runs until the consumer is asked to stop; throws when the consumer is lost. */
  async run(): Promise<void> {
    const { stopping, ackWaitMs } = this.limits;
    const alive = setInterval(() => sayAlive(this.delivered), ackWaitMs / 4).unref();
    // The pull ends at once, before the last acks: they would let the server send more messages to a pull that nobody reads.
    const end = () => void (this.messages && endPull(this.messages));
    stopping.addEventListener('abort', end);
    // `allSettled` keeps a failure until the messages that are here have been handled: a rejection that nobody awaits would end the
    // process.
    const pulling = Promise.allSettled([this.pull().finally(() => this.delivered.end())]);
    try {
      while ((await this.delivered.some()) && !stopping.aborted) {
        const all = await this.allUnacked();
        if (all) await this.handle(all.slice(0, this.limits.most));
        else if (this.delivered.isOver) break; // the missing messages do not come here any more, but to the consumer that is created anew
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

  /** Pulls again and again. Each pull ends by itself, so no message is on its way to a replica that no longer pulls. */
  private async pull(): Promise<void> {
    const { most, stopping } = this.limits;
    while (!stopping.aborted) {
      const messages = await this.consumer.fetch({ max_messages: most, expires: PULL_MS });
      this.messages = messages;
      if (stopping.aborted) void endPull(messages); // not awaited: it is read below
      for await (const message of messages) this.take(message);
      if (this.isAside) await this.untilNobodyPulls();
      this.isAside = false;
    }
  }

  /** Keeps a message for its turn. One that was on its way when this replica stepped aside is handed back too. */
  private take(message: JsMsg): void {
    if (this.isAside) return void this.processor.handBack(message, 0);
    this.processor.prepare(message);
    this.delivered.add(message);
  }

  private waitedInVain(): void {
    if (this.delivered.size === 0 || this.limits.stopping.aborted) return;
    this.timesInVain += 1;
    if (this.failure !== undefined) this.sayUnanswered(this.failure);
    // When no other replica pulls, the missing messages are on their way here. Or the replica that had them is gone, and the server
    // delivers them again after the ack wait.
    if (this.isShared) this.stepAside();
  }

  /**
   * Returns all messages that the server waits for. Asks until they are all here, and returns undefined when none of them is here any more,
   * no more messages come, or the time is over. Messages that were on their way here mostly arrive right after the server's answer: then it
   * asks again at once.
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

  /** The server's information about the consumer; undefined when the server does not give it. */
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

  /** Logs that events wait here. Nothing else would show it, because the connection stands and pulls are answered. */
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

  /** Waits until no other replica pulls. The own pull has ended, so every pull that waits at the server is one of another replica. */
  private async untilNobodyPulls(): Promise<void> {
    for (let rounds = 1; !this.limits.stopping.aborted; rounds++) {
      await this.pause(backoffMs(ASIDE, rounds));
      const info = await this.info();
      if (!info || info.num_waiting === 0) return; // the next pull will show what is wrong with the consumer
    }
  }

  private async handle(batch: readonly JsMsg[]): Promise<void> {
    this.timesInVain = 0;
    const done = batch.length > 1 ? await this.processor.processTogether(batch) : [];
    if (done.length === 0) return this.handleEach(batch);
    for (const message of done) this.delivered.delete(message);
  }

  /** Handles the messages one by one. When one is to be delivered again, all behind it are handed back too, so that none overtakes it. */
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

/**
 * Extends the ack wait of messages in hand, also of those that only wait for their turn. A message that is new since the last call is left
 * out: most are acked before this is worth a message.
 */
function sayAlive(delivered: DeliveredMessages): void {
  for (const message of delivered.messagesSeenBefore()) message.working();
}
