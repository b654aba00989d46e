import {
  AckPolicy,
  JetStreamApiError,
  type Consumer,
  type ConsumerConfig,
  type ConsumerMessages,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos, PermissionViolationError, RequestError } from '@nats-io/transport-node';
import { filter, Refusal, valuesOf, type Subject, type Values } from '@cds/contracts';
import type { z } from 'zod';
import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Span } from '@opentelemetry/api';
import { OperatorFault } from '../operator-fault.ts';
import { callFailure, isTransient } from '../resilience/is-transient.ts';
import { retry } from '../resilience/retry.ts';
import { retryConnect } from '../resilience/retry-connect.ts';
import { withTimeout } from '../resilience/with-timeout.ts';
import { count, countFromZero, failSpan, inSpan, linkTo, SpanKind, timed, traceOf, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { carrierOf, messaging, type Bus } from './bus.ts';
import { park } from './parked.ts';
import { PendingMessages } from './pending-messages.ts';
import { STREAM_UNKNOWN } from './streams.ts';
import { readMessage } from './wire.ts';

export interface ConsumerOptions<P extends string = string> {
  /** The durable consumer's name; replicas that give the same name share its messages. */
  as: string;
  /** Which of the subject's messages, by some of its places; all when absent. */
  only?: Partial<Values<P>>;
  /** Messages that nobody here wants: they are acked unread. */
  skips?: (values: Values<P>) => boolean;
  /** Pauses before each further try of a failed event; after the last it is parked. */
  backoffMs?: readonly number[];
  /** Pauses before an event is handed out again that failed for no fault of its own; the last one is kept to, for as long as it takes. */
  postponeMs?: readonly number[];
  /** How long the server waits for a word from us before it hands the event to another. */
  ackWaitMs?: number;
  /** How long a handler may take; after that its event is taken from it, and handed out again. */
  handleMs?: number;
  /** How many events one process holds at once. One by one, in order, is the default. */
  atOnce?: number;
}

export const BACKOFF_MS = [200, 1000, 5000, 15_000];
export const POSTPONE_MS = [500, 1000, 2000, 5000, 10_000];
const ACK_WAIT_MS = 30_000;
const HANDLE_MS = 5 * 60_000;
/** Pauses double from the first to the longest while a consumer that was lost cannot be made anew, for as long as that takes. */
const REOPEN = { firstMs: 250, longestMs: 15_000, jitter: 0.2 };
/** What one pull asks for. The server hands out no more than may be in hand, so it saves pulls and holds nothing back from a replica. */
const PULLED_AT_ONCE = 50;
/** How long one pull waits at the server. Half of it is the heartbeat by which a pull that a restarted server forgot is noticed. */
const PULL_MS = 5000;
/** The server's code for a consumer that stands with another configuration. */
const CONSUMER_EXISTS = 10148;

/** What is known of an event beside its message. */
export interface Delivery {
  /** The id a repeat is known by: what its publisher gave it, or its place in the stream. */
  id: string;
  header(name: string): string | undefined;
  /** How often it was tried, this time included. */
  attempt: number;
  /** The consumer is asked to stop, or this took too long: what is not done yet may end by throwing, and the event comes again. */
  signal: AbortSignal;
}

export type Handle<P extends string, M extends z.ZodType> = (
  message: z.output<M>,
  values: Values<P>,
  delivery: Delivery,
) => void | Promise<void>;

const USUAL = {
  backoffMs: BACKOFF_MS,
  postponeMs: POSTPONE_MS,
  ackWaitMs: ACK_WAIT_MS,
  handleMs: HANDLE_MS,
  atOnce: 1,
} satisfies Partial<ConsumerOptions>;
type Settled<P extends string> = ConsumerOptions<P> & Required<Pick<ConsumerOptions<P>, keyof typeof USUAL>>;

/** What may become of its events. */
const COUNTED = [
  RUNTIME_METRICS.busLost,
  RUNTIME_METRICS.busOverdue,
  RUNTIME_METRICS.busParked,
  RUNTIME_METRICS.busPostponed,
  RUNTIME_METRICS.busReopenRetried,
  RUNTIME_METRICS.busRetried,
];

/**
 * A durable consumer. The event is acked after its effect; a handler that throws is tried again in place, so that later
 * events do not overtake; what still fails, or cannot be read at all, is parked where an operator sees it. What failed because
 * somebody cannot be reached is never parked: it waits, and those behind it with it. A handler that does not end gets its event taken
 * away, so that it holds up nobody for ever. A consumer or stream that somebody deletes is waited for and made anew.
 */
export class DurableConsumer<P extends string, M extends z.ZodType> {
  private messages: ConsumerMessages | undefined;
  private running!: Promise<void>;
  private readonly stopping = new AbortController();
  private readonly pending = new PendingMessages();
  private readonly group: { 'messaging.consumer.group.name': string };

  private constructor(
    private readonly bus: Bus,
    private readonly subject: Subject<P, M>,
    private readonly options: Settled<P>,
    private readonly handle: Handle<P, M>,
    private readonly log: Log,
  ) {
    this.group = { 'messaging.consumer.group.name': options.as };
    setMaxListeners(0, this.stopping.signal); // one for each message in hand
  }

  static async start<P extends string, M extends z.ZodType>(
    bus: Bus,
    subject: Subject<P, M>,
    options: ConsumerOptions<P>,
    handle: Handle<P, M>,
    log: Log,
  ): Promise<DurableConsumer<P, M>> {
    const consumer = new DurableConsumer(bus, subject, { ...USUAL, ...options }, handle, log);
    // A mistake in the setup is thrown to the caller; a server, a stream or its owner that is still coming up is waited for.
    await retryConnect('nats', () => consumer.open(), { seconds: bus.connectSeconds, isWorth: isNotThereYet });
    for (const metric of COUNTED) countFromZero(metric, consumer.group);
    consumer.running = consumer.run();
    return consumer;
  }

  /** Whether events reach it, as soon as there are some. */
  get isHearing(): boolean {
    return this.messages !== undefined && this.bus.isConnected;
  }

  /** How long the oldest event that is in hand here, or was just handed back, has been on the stream; 0 when there is none. */
  get oldestMs(): number {
    return this.pending.oldestMs;
  }

  /** Stops taking events and waits for those in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.messages?.close();
    await this.running;
  }

  private get isOver(): boolean {
    return this.stopping.signal.aborted || this.bus.connection.isClosed();
  }

  private async open(): Promise<void> {
    const source = await this.ensure();
    this.messages = await source.consume({ max_messages: PULLED_AT_ONCE, expires: PULL_MS, abort_on_missing_resource: true });
    void watch(this.messages);
    if (this.isOver) void this.messages.close(); // it ends when it is heard
  }

  /** Hears until it is over, through as many consumers as that takes. */
  private async run(): Promise<void> {
    while (this.messages) {
      const failure = await this.hear(this.messages).then(
        () => undefined,
        (error: unknown) => error,
      );
      this.messages = undefined;
      if (this.isOver) return;
      count(RUNTIME_METRICS.busLost, this.group);
      this.log.warn('consumer lost: it is made anew', { ...this.group, error: failure });
      await this.reopen();
    }
  }

  private async reopen(): Promise<void> {
    const { signal } = this.stopping;
    await pause(REOPEN.firstMs, undefined, { signal }).catch(() => undefined);
    if (this.isOver) return;
    const options = {
      backoff: REOPEN,
      bound: { until: signal },
      metric: RUNTIME_METRICS.busReopenRetried,
      attributes: this.group,
    } as const;
    const onRetry = (error: unknown) =>
      this.log.error('consumer cannot be made anew: no events are heard until it is', { ...this.group, error });
    await retry(() => this.open(), { ...options, isWorth: () => !this.isOver, onRetry }).catch((error: unknown) => {
      if (!this.isOver) throw error;
    });
  }

  private async ensure(): Promise<Consumer> {
    const { as, ackWaitMs, atOnce, only } = this.options;
    const config: Partial<ConsumerConfig> = {
      durable_name: as,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: atOnce,
      filter_subject: filter(this.subject, only),
    };
    try {
      // A service may create its own consumer and nothing else, so nothing else is asked.
      await createOrUpdate(await this.bus.streams.jetstreamManager(false), this.subject.stream!, config);
      return await this.bus.streams.consumers.get(this.subject.stream!, as);
    } catch (error) {
      throw notStarted(this.subject.stream!, as, error);
    }
  }

  /** One loop per event held at once; the stream sends no more than that unacked, so order holds when it is one. */
  private async hear(messages: ConsumerMessages): Promise<void> {
    const held = new Set<Promise<void>>();
    try {
      for await (const message of messages) {
        const work = this.take(message).finally(() => held.delete(work));
        held.add(work);
        if (held.size >= this.options.atOnce) await Promise.race(held);
      }
    } finally {
      await Promise.allSettled(held);
    }
  }

  private async take(message: JsMsg): Promise<void> {
    const startedAt = performance.now();
    const parent = traceOf(carrierOf(message.headers));
    const attributes = { ...messaging('process', this.subject), ...this.group, 'cds.deliveries': message.info.deliveryCount };
    const options = { kind: SpanKind.CONSUMER, parent, links: linkTo(parent), attributes };
    const alive = setInterval(() => message.working(), this.options.ackWaitMs / 3).unref();
    this.pending.add(message, Infinity);
    let handling: Span | undefined;
    try {
      await inSpan(`process ${this.subject.pattern}`, options, (span) => this.settle(message, (handling = span)));
    } catch (error) {
      // Neither handled nor parked: say nothing, and the server hands it out again.
      this.pending.add(message, this.options.ackWaitMs);
      this.log.error('event left for redelivery', { ...this.group, error });
    } finally {
      clearInterval(alive);
      timed(RUNTIME_METRICS.busHandled, startedAt, this.group, handling);
    }
  }

  private async settle(message: JsMsg, span: Span): Promise<void> {
    const values = valuesOf(this.subject, message.subject)!;
    const failure = this.options.skips?.(values) ? undefined : await this.attempt(message, values);
    if (failure !== undefined) failSpan(span, failure);
    if (failure === undefined) await this.ack(message);
    else if (this.stopping.signal.aborted) this.handBack(message, 0);
    else if (failure instanceof Overdue && message.info.deliveryCount <= this.options.backoffMs.length) this.takeAway(message);
    else if (isTransient(failure)) this.postpone(message, failure);
    else await this.park(message, failure);
  }

  private async ack(message: JsMsg): Promise<void> {
    await message.ackAck();
    this.pending.done(message);
  }

  /** The server hands it out again after the pause, to us or to another. */
  private handBack(message: JsMsg, pauseMs: number): void {
    message.nak(pauseMs);
    this.pending.add(message, pauseMs);
  }

  /** With one event held at once those behind it wait too, so that none overtakes. */
  private postpone(message: JsMsg, failure: unknown): void {
    const { deliveryCount } = message.info;
    const { postponeMs } = this.options;
    this.handBack(message, postponeMs[deliveryCount - 1] ?? postponeMs.at(-1) ?? 0);
    count(RUNTIME_METRICS.busPostponed, this.group);
    this.log.warn('event postponed: what it needs cannot be had now', { ...this.group, 'cds.deliveries': deliveryCount, error: failure });
  }

  /** Whatever keeps this process from ending it may not keep another from it. */
  private takeAway(message: JsMsg): void {
    this.handBack(message, 0);
    count(RUNTIME_METRICS.busOverdue, this.group);
    const facts = { ...this.group, 'cds.deliveries': message.info.deliveryCount };
    this.log.error('event taken from a handler that does not end: bound what it waits for', facts);
  }

  private async park(message: JsMsg, failure: unknown): Promise<void> {
    const cause = failure instanceof Poison ? failure.cause : failure;
    await park(this.bus, { consumer: this.options.as, message, failure: cause });
    message.term();
    this.pending.done(message);
    count(RUNTIME_METRICS.busParked, this.group);
    this.log.error('event parked', { ...this.group, 'cds.deliveries': message.info.deliveryCount, error: cause });
  }

  /** Tries until it succeeds or the pauses are used up; answers the last failure. */
  private async attempt(message: JsMsg, values: Values<P>): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      const failure = await this.once(message, values, tries);
      const pauseMs = this.options.backoffMs[tries];
      if (failure === undefined || pauseMs === undefined || isLeft(failure)) return failure;
      count(RUNTIME_METRICS.busRetried, this.group);
      this.log.warn('event failed, trying again', { ...this.group, 'cds.attempt': tries + 1, error: failure });
      await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return failure;
    }
  }

  private async once(message: JsMsg, values: Values<P>, tries: number): Promise<unknown> {
    const over = new AbortController();
    const stop = () => over.abort();
    this.stopping.signal.addEventListener('abort', stop);
    if (this.stopping.signal.aborted) stop();
    const delivery: Delivery = {
      id: message.headers?.get('Nats-Msg-Id') || `${message.info.stream}:${message.seq}`,
      header: (name) => message.headers?.get(name) || undefined,
      attempt: message.info.deliveryCount + tries,
      signal: over.signal,
    };
    try {
      await withTimeout(this.options.handleMs, this.handled(message, values, delivery), overdue, over);
      return undefined;
    } catch (error) {
      return error ?? new Error('a handler threw nothing');
    } finally {
      this.stopping.signal.removeEventListener('abort', stop);
    }
  }

  private async handled(message: JsMsg, values: Values<P>, delivery: Delivery): Promise<void> {
    await this.handle(this.read(message), values, delivery);
  }

  private read({ data }: JsMsg): z.output<M> {
    try {
      return readMessage(this.subject, data);
    } catch (error) {
      throw new Poison('a message that does not fit its subject', { cause: error });
    }
  }
}

/** A handler that did not end in its time. It may run on, and what it does then is as if a replica did it too. */
class Overdue extends Error {
  override readonly name = 'HandlerOverdue';
}

const overdue = () => new Overdue('a handler did not end in its time');

/** A message that cannot be read. */
class Poison extends Error {}

/** What is not readable now never will be. */
const isHopeless = (failure: unknown) =>
  failure instanceof Poison || (failure instanceof Refusal && ['decryptor.unreadable', 'documents.too_large'].includes(failure.key));

/** What a second try in place would not mend. */
const isLeft = (failure: unknown) => isHopeless(failure) || failure instanceof Overdue || isTransient(failure);

/**
 * Nobody answers a pull of a consumer that was deleted while nothing was asked of it. The library would pull again at once, for ever, and
 * take each of these answers for a sign of life.
 */
async function watch(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) {
    if (type === 'no_responders') messages.stop(new Error('nobody answers for the consumer'));
  }
}

/** While nobody makes consumers, one that stands is taken as it is: a service restarts without the one that has the stream. */
async function createOrUpdate(manager: JetStreamManager, stream: string, config: Partial<ConsumerConfig>): Promise<void> {
  const name = config.durable_name!;
  try {
    await manager.consumers.add(stream, config);
  } catch (error) {
    const differs = error instanceof JetStreamApiError && error.code === CONSUMER_EXISTS;
    if (!differs && !isUnheard(error)) throw error;
    const { config: standing } = await manager.consumers.info(stream, name).catch(() => {
      throw error;
    });
    if (standing.filter_subject !== config.filter_subject) {
      throw new Error(`The consumer ${name} already takes ${standing.filter_subject}: give this one another name`, { cause: error });
    }
    if (differs) await manager.consumers.update(stream, name, config);
  }
}

/** Nobody answers. The library has another name for it, and keeps that as the cause. */
function isUnheard(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RequestError && cause.isNoResponders()) return true;
  return false;
}

/** Nobody answers or not in time, or the stream is not made yet: whoever does it may be about to. */
const isNotThereYet = (error: unknown): boolean =>
  isUnheard(error) || callFailure(error) === 'late' || isUnavailable(error) || (error instanceof Error && isStreamUnknown(error.cause));

/** A cluster without a leader says so, and who makes consumers for others says it of a cluster that did not answer in time. */
const isUnavailable = (error: unknown): boolean => error instanceof JetStreamApiError && error.status === 503;

const isStreamUnknown = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === STREAM_UNKNOWN;

/** Says what to mend. */
function notStarted(stream: string, as: string, error: unknown): unknown {
  if (isStreamUnknown(error)) {
    return new OperatorFault(`The stream ${stream} is not there: run prepare of the app that owns it`, { cause: error });
  }
  if (isUnheard(error)) {
    const mend = 'see that its server keeps streams and, for an internal service, that the feed consumer runs';
    return new OperatorFault(`Nobody makes the consumer ${as} of the stream ${stream}: ${mend}`, { cause: error });
  }
  const isForbidden = error instanceof PermissionViolationError || (error as Error).cause instanceof PermissionViolationError;
  if (!isForbidden) return error;
  return new OperatorFault(`This bus user may not run the consumer ${as}: an operator lists it in the user's rights`, { cause: error });
}
