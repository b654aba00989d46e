import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Subject } from '@codase/contracts';
import type { z } from 'zod';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { retry } from '../resilience/retry.ts';
import { retryConnect } from '../resilience/retry-connect.ts';
import { count, countFromZero, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { BATCH, USUAL, type BatchOptions, type ConsumerOptions, type Handle, type Settled } from './consumer-options.ts';
import { endPull } from './end-pull.ts';
import { isNotThereYet, makeConsumer } from './make-consumer.ts';
import { MessageProcessor } from './message-processor.ts';
import { OrderedBatches } from './ordered-batches.ts';

/** Pauses between attempts to create a lost consumer again. They double from the first to the longest, for as long as it takes. */
const REOPEN = { firstMs: 250, longestMs: 15_000, jitter: 0.2 };
/** How many messages one pull asks for. No more than may be unacked are delivered, so none is taken from another replica. */
const PULLED_AT_ONCE = 50;
/** The next pull is sent when fewer messages than this are to come; by default the library would pull for every dozen. */
const PULL_BELOW = 12;
/** How long one pull waits at the server. Half of it is the interval of heartbeats, whose absence shows that the server forgot the pull. */
const PULL_MS = 5000;

/** The counters of what can happen to the consumer and its events. */
const COUNTED = [
  RUNTIME_METRICS.busLost,
  RUNTIME_METRICS.busOverdue,
  RUNTIME_METRICS.busParked,
  RUNTIME_METRICS.busPostponed,
  RUNTIME_METRICS.busReopenRetried,
  RUNTIME_METRICS.busRetried,
];

interface Handlers<P extends string, M extends z.ZodType> {
  handle: Handle<P, M>;
  /** How several events are handled at once, in order; absent when each event is handled alone. */
  batches?: BatchOptions<P, M> | undefined;
}

/**
 * A durable consumer that keeps the order of events: later ones wait for one that is tried again or delivered again. This class creates the
 * consumer and receives its messages; the `MessageProcessor` decides what becomes of each. When the consumer or its stream is deleted, this
 * class waits and creates the consumer again.
 */
export class DurableConsumer<P extends string, M extends z.ZodType> {
  private readonly processor: MessageProcessor<P, M>;
  /** The limit of unacked messages of the consumer, over all replicas, as it was at the start. */
  private unacked: number | undefined;
  private source: Consumer | undefined;
  private messages: ConsumerMessages | undefined;
  private running!: Promise<void>;
  private readonly stopping = new AbortController();

  private constructor(
    private readonly bus: Bus,
    private readonly subject: Subject<P, M>,
    private readonly options: Settled<P>,
    private readonly handlers: Handlers<P, M>,
    private readonly log: Log,
  ) {
    const { signal } = this.stopping;
    setMaxListeners(0, signal); // each message in hand adds a listener
    this.processor = new MessageProcessor({ bus, subject, options, ...handlers, log, stopping: signal });
  }

  static async start<P extends string, M extends z.ZodType>(
    bus: Bus,
    subject: Subject<P, M>,
    options: ConsumerOptions<P>,
    handlers: Handle<P, M> | Handlers<P, M>,
    log: Log,
  ): Promise<DurableConsumer<P, M>> {
    const given = typeof handlers === 'function' ? { handle: handlers } : handlers;
    const consumer = new DurableConsumer(bus, subject, { ...USUAL, ...options }, given, log);
    // A mistake in the setup is thrown to the caller; a server, a stream or its owner that is still coming up is waited for.
    await retryConnect('nats', () => consumer.open(), { seconds: bus.connectSeconds, isWorth: isNotThereYet });
    for (const metric of COUNTED) countFromZero(metric, consumer.processor.group);
    consumer.running = consumer.run();
    return consumer;
  }

  /** Whether new events would reach this consumer. */
  get isSubscribed(): boolean {
    return this.source !== undefined && this.bus.isConnected;
  }

  /** How long the oldest event that is in hand here, or was just handed back, has been on the stream; 0 when there is none. */
  get oldestMs(): number {
    return this.processor.pending.oldestMs;
  }

  /** Stops taking events and waits for those in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.messages) await endPull(this.messages);
    await this.running;
  }

  private get isOver(): boolean {
    return this.stopping.signal.aborted || this.bus.connection.isClosed();
  }

  private async open(): Promise<void> {
    const { as, only, ackWaitMs, atOnce } = this.options;
    const { batches } = this.handlers;
    const wanted = batches ? (batches.most ?? this.unacked) : atOnce;
    const unacked = wanted === undefined ? { unacked: BATCH, keepsUnacked: true } : { unacked: wanted };
    const made = await makeConsumer(this.bus, this.subject, { as, ...(only && { only }), ackWaitMs, ...unacked });
    this.source = made.consumer;
    this.unacked ??= made.unacked;
  }

  /** Receives messages until the consumer is stopped or the bus is closed, and creates a lost consumer again as often as needed. */
  private async run(): Promise<void> {
    while (this.source) {
      const failure = await this.hear(this.source).catch((error: unknown) => error);
      this.source = undefined;
      if (this.isOver) return;
      count(RUNTIME_METRICS.busLost, this.processor.group);
      this.log.warn('consumer lost: it is made anew', { ...this.processor.group, error: failure });
      await this.reopen();
    }
  }

  private async reopen(): Promise<void> {
    const { group } = this.processor;
    const { signal } = this.stopping;
    await this.pause(REOPEN.firstMs);
    if (this.isOver) return;
    const options = { backoff: REOPEN, bound: { until: signal }, metric: RUNTIME_METRICS.busReopenRetried, attributes: group } as const;
    const onRetry = (error: unknown) =>
      this.log.error('consumer cannot be made anew: no events are heard until it is', { ...group, error });
    await retry(() => this.open(), { ...options, isWorth: () => !this.isOver, onRetry }).catch((error: unknown) => {
      if (!this.isOver) throw error;
    });
  }

  /** Settles when no more messages come. A consumer that allows one unacked message is in order by that, and needs no batches. */
  private hear(source: Consumer): Promise<void> {
    const { most } = this.handlers.batches ?? {};
    const isInBatches = this.handlers.batches && (most !== undefined || this.unacked! > 1);
    return isInBatches ? this.hearInBatches(source, most ?? this.unacked!) : this.hearSome(source);
  }

  private hearInBatches(source: Consumer, most: number): Promise<void> {
    const { ackWaitMs } = this.options;
    return new OrderedBatches(this.processor, source, { most, ackWaitMs, stopping: this.stopping.signal }, this.log).run();
  }

  /** Handles up to `atOnce` events at the same time. The server sends no more than that before an ack, so one at a time keeps the order. */
  private async hearSome(source: Consumer): Promise<void> {
    const messages = await this.listen(source);
    const underWay = new Set<Promise<void>>();
    try {
      for await (const message of messages) {
        const work = this.take(message).finally(() => underWay.delete(work));
        underWay.add(work);
        if (underWay.size >= this.options.atOnce) await Promise.race(underWay);
      }
    } finally {
      await Promise.allSettled(underWay);
    }
  }

  private async listen(source: Consumer): Promise<ConsumerMessages> {
    const messages = await source.consume({
      max_messages: PULLED_AT_ONCE,
      threshold_messages: PULL_BELOW,
      expires: PULL_MS,
      abort_on_missing_resource: true,
    });
    void watch(messages);
    this.messages = messages;
    if (this.isOver) void endPull(messages); // not awaited: the caller reads it meanwhile
    return messages;
  }

  private async take(message: JsMsg): Promise<void> {
    const alive = setInterval(() => message.working(), this.options.ackWaitMs / 3).unref();
    await this.processor.process(message).finally(() => clearInterval(alive));
  }

  private async pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}

/**
 * Ends the pulls of a consumer that was deleted while no pull waited at the server: nobody answers them. The library would pull again at
 * once, for ever, and take each "no responders" for a sign of life.
 */
async function watch(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === 'no_responders') messages.stop(new Error('nobody answers for the consumer'));
  }
}
