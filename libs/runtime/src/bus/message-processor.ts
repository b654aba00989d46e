import type { JsMsg } from '@nats-io/jetstream';
import { EVENT_ID_HEADER, Refusal, valuesOf, type Subject, type Values } from '@codase/contracts';
import type { z } from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import { isTransient } from '../resilience/is-transient.ts';
import { withTimeout } from '../resilience/with-timeout.ts';
import {
  count,
  failSpan,
  inTrace,
  linkTo,
  SpanKind,
  startSpan,
  timed,
  traceOf,
  type Attributes,
  type Log,
  RUNTIME_METRICS,
} from '../telemetry/index.ts';
import type { Bus } from './bus.ts';
import { carrierOf, messaging } from './message-context.ts';
import type { BatchItem, BatchOptions, Delivery, EventSpan, Handle, Settled } from './consumer-options.ts';
import { park } from './parked.ts';
import { PendingMessages } from './pending-messages.ts';
import { readMessage } from './wire.ts';

/** How long after its first event a batch ends, with the event that is being handled then. The batch holds its locks for so long. */
const BATCH_MS = 5000;

/** What became of a message: acked or parked, or how long until it is delivered again. */
export type Outcome = 'done' | { againInMs: number };

interface Parts<P extends string, M extends z.ZodType> {
  bus: Bus;
  subject: Subject<P, M>;
  options: Settled<P>;
  handle: Handle<P, M>;
  batches?: BatchOptions<P, M> | undefined;
  log: Log;
  /** Aborted when the consumer is asked to stop. */
  stopping: AbortSignal;
}

/**
 * Handles messages of a durable consumer and reports to the server what became of each. An event is acked after its effect. A handler that
 * throws is tried again in place. An event that still fails, or cannot be read at all, is parked where an operator sees it. An event that
 * failed because something it needs cannot be reached is never parked: the server delivers it again. A handler that does not end loses its
 * event, so that it does not hold up the others for ever.
 */
export class MessageProcessor<P extends string, M extends z.ZodType> {
  readonly group: { 'messaging.consumer.group.name': string };
  readonly pending = new PendingMessages();
  private readonly bus: Bus;
  private readonly subject: Subject<P, M>;
  private readonly options: Settled<P>;
  private readonly handle: Handle<P, M>;
  private readonly batches: BatchOptions<P, M> | undefined;
  private readonly log: Log;
  private readonly stopping: AbortSignal;
  /** The contents of prepared messages. Each is handed out only once, because a handler may change what it gets. */
  private readonly readAhead = new WeakMap<JsMsg, z.output<M>>();
  /** The subject of the last message and the values in it: the next message mostly has the same subject. */
  private last: { subject: string; values: Values<P> } | undefined;
  private readonly spanName: string;
  private readonly attributes: Attributes;

  constructor({ bus, subject, options, handle, batches, log, stopping }: Parts<P, M>) {
    this.bus = bus;
    this.subject = subject;
    this.options = options;
    this.handle = handle;
    this.batches = batches;
    this.log = log;
    this.stopping = stopping;
    this.group = { 'messaging.consumer.group.name': options.as };
    this.spanName = `process ${subject.pattern}`;
    this.attributes = { ...messaging('process', subject), ...this.group };
  }

  /** Reads a message that waits for its turn, and lets the handlers prepare it. A message that cannot be read fails when its turn comes. */
  prepare(message: JsMsg): void {
    if (!this.batches?.prepare || !this.wantedValues(message)) return;
    try {
      const read = this.read(message);
      this.readAhead.set(message, read);
      inTrace(traceOf(carrierOf(message)), () => this.batches!.prepare!(read));
    } catch (error) {
      this.log.debug('event could not be prepared', { ...this.group, error });
    }
  }

  /** Handles one message, with as many tries as the options allow. */
  async process(message: JsMsg): Promise<Outcome> {
    this.pending.add(message, Infinity);
    try {
      return await this.inItsSpan(message, (span) => this.settle(message, span));
    } catch (error) {
      // The message is neither handled nor parked. It is not acked, so the server delivers it again.
      this.pending.add(message, this.options.ackWaitMs);
      this.log.error('event left for redelivery', { ...this.group, error });
      return { againInMs: this.options.ackWaitMs };
    }
  }

  /** Handles several messages at once. Returns the first ones, that are done; none when that failed: each may be tried alone. */
  async processTogether(messages: readonly JsMsg[]): Promise<readonly JsMsg[]> {
    for (const message of messages) this.pending.add(message, Infinity);
    try {
      const done = await this.withTimeout((signal) => this.handleTogether(messages, signal));
      await this.ack(...done);
      return done;
    } catch (error) {
      count(RUNTIME_METRICS.busHandlingSplit, this.group);
      this.log.debug('several events at once failed: each is handled alone', { ...this.group, 'codase.count': messages.length, error });
      return [];
    }
  }

  /** Hands the message back: the server delivers it again after the pause, to this process or to another. */
  handBack(message: JsMsg, pauseMs: number): Outcome {
    message.nak(pauseMs);
    this.pending.add(message, pauseMs);
    return { againInMs: pauseMs };
  }

  /** Notes that a replica has acked the message. After a batch of which only a part was done, it would count as pending here for ever. */
  ackedElsewhere(message: JsMsg): void {
    this.pending.done(message);
  }

  private async inItsSpan<T>(message: JsMsg, work: (span: EventSpan) => Promise<T>): Promise<T> {
    const span = this.startSpan(message);
    try {
      return await span.within(() => work(span));
    } catch (error) {
      span.fail(error);
      throw error;
    } finally {
      span.end();
    }
  }

  /** Begins the span of an event. When the span is ended, the time that handling took is recorded. */
  private startSpan(message: JsMsg): EventSpan {
    const startedAt = performance.now();
    const parent = traceOf(carrierOf(message));
    const attributes = { ...this.attributes, 'codase.deliveries': message.info.deliveryCount };
    const { span, within } = startSpan(this.spanName, { kind: SpanKind.CONSUMER, parent, links: linkTo(parent), attributes });
    return {
      within: (work) => inTrace(within, work),
      fail: (error) => failSpan(span, error),
      end: () => {
        timed(RUNTIME_METRICS.busHandled, startedAt, this.group, span);
        span.end();
      },
    };
  }

  /** Returns the messages that are done: all before the first one that was not handled. */
  private async handleTogether(messages: readonly JsMsg[], signal: AbortSignal): Promise<readonly JsMsg[]> {
    const wanted: JsMsg[] = [];
    const items: BatchItem<P, M>[] = [];
    for (const message of messages) {
      const values = this.wantedValues(message);
      if (!values) continue;
      wanted.push(message);
      items.push(this.itemOf(message, values, signal));
    }
    if (wanted.length === 0) return messages;
    let endsAt: number | undefined;
    const isTimeToEnd = () => signal.aborted || performance.now() > (endsAt ??= performance.now() + BATCH_MS);
    const handled = await this.batches!.handle(items, isTimeToEnd);
    return handled < wanted.length ? messages.slice(0, messages.indexOf(wanted[handled]!)) : messages;
  }

  private itemOf(message: JsMsg, values: Values<P>, signal: AbortSignal): BatchItem<P, M> {
    return {
      message: this.read(message),
      values,
      delivery: new MessageDelivery(message, 0, signal),
      start: () => this.startSpan(message),
    };
  }

  private async settle(message: JsMsg, span: EventSpan): Promise<Outcome> {
    const values = this.wantedValues(message);
    const failure = values ? await this.attempt(message, values) : undefined;
    if (failure === undefined) return this.ack(message);
    span.fail(failure);
    if (this.stopping.aborted) return this.handBack(message, 0);
    if (failure instanceof Overdue && message.info.deliveryCount <= this.options.backoffMs.length) return this.takeAway(message);
    if (isTransient(failure)) return this.postpone(message, failure);
    return this.park(message, failure);
  }

  /** The values in the subject of the message; undefined when the options skip it. */
  private wantedValues(message: JsMsg): Values<P> | undefined {
    if (message.subject !== this.last?.subject) this.last = { subject: message.subject, values: this.valuesOf(message) };
    const { values } = this.last;
    return this.options.skips?.(values) ? undefined : values;
  }

  private valuesOf(message: JsMsg): Values<P> {
    return Object.freeze(valuesOf(this.subject, message.subject)!);
  }

  /** Acks the messages. The server processes acks in order, so it is enough to wait for its answer to the last one. */
  private async ack(...messages: JsMsg[]): Promise<'done'> {
    for (const message of messages.slice(0, -1)) message.ack();
    await messages.at(-1)!.ackAck();
    for (const message of messages) this.pending.done(message);
    return 'done';
  }

  /** Hands the event back for a while. When events are handled one at a time, those behind it wait too, so that none overtakes it. */
  private postpone(message: JsMsg, failure: unknown): Outcome {
    const { deliveryCount } = message.info;
    const { postponeMs } = this.options;
    count(RUNTIME_METRICS.busPostponed, this.group);
    this.log.warn('event postponed: what it needs cannot be had now', {
      ...this.group,
      'codase.deliveries': deliveryCount,
      error: failure,
    });
    return this.handBack(message, postponeMs[deliveryCount - 1] ?? postponeMs.at(-1) ?? 0);
  }

  /** Hands back an event whose handler does not end: what blocks it in this process may not block it in another. */
  private takeAway(message: JsMsg): Outcome {
    count(RUNTIME_METRICS.busOverdue, this.group);
    const facts = { ...this.group, 'codase.deliveries': message.info.deliveryCount };
    this.log.error('event taken from a handler that does not end: bound what it waits for', facts);
    return this.handBack(message, 0);
  }

  private async park(message: JsMsg, failure: unknown): Promise<'done'> {
    const cause = failure instanceof Poison ? failure.cause : failure;
    await park(this.bus, { consumer: this.options.as, message, failure: cause });
    message.term();
    this.pending.done(message);
    count(RUNTIME_METRICS.busParked, this.group);
    const id = message.headers?.get(EVENT_ID_HEADER);
    const facts = { ...this.group, ...(id && { 'messaging.message.id': id }), 'codase.deliveries': message.info.deliveryCount };
    this.log.error('event parked', { ...facts, error: cause });
    return 'done';
  }

  /** Calls the handler until it succeeds or the pauses are used up; returns the last failure, or undefined. */
  private async attempt(message: JsMsg, values: Values<P>): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      const failure = await this.once(message, values, tries);
      const pauseMs = this.options.backoffMs[tries];
      if (failure === undefined || pauseMs === undefined || isLeft(failure)) return failure;
      count(RUNTIME_METRICS.busRetried, this.group);
      this.log.warn('event failed, trying again', { ...this.group, 'codase.attempt': tries + 1, error: failure });
      await pause(pauseMs, undefined, { signal: this.stopping }).catch(() => undefined);
      if (this.stopping.aborted) return failure;
    }
  }

  private async once(message: JsMsg, values: Values<P>, tries: number): Promise<unknown> {
    try {
      await this.withTimeout(async (signal) => this.handle(this.read(message), values, new MessageDelivery(message, tries, signal)));
      return undefined;
    } catch (error) {
      return error ?? new Error('a handler threw nothing');
    }
  }

  /** Does the work with a time limit. The signal is aborted when the time is over or the consumer is asked to stop. */
  private async withTimeout<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const stop = () => over.abort();
    this.stopping.addEventListener('abort', stop);
    if (this.stopping.aborted) stop();
    try {
      return await withTimeout(this.options.handleMs, work(over.signal), overdue, over);
    } finally {
      this.stopping.removeEventListener('abort', stop);
    }
  }

  private read(message: JsMsg): z.output<M> {
    const ahead = this.readAhead.get(message);
    if (this.readAhead.delete(message)) return ahead!;
    try {
      return readMessage(this.subject, message.data);
    } catch (error) {
      throw new Poison('a message that does not fit its subject', { cause: error });
    }
  }
}

/** Reads headers only when the handler asks for one: they would take half as much memory as the rest of a waiting event. */
class MessageDelivery implements Delivery {
  readonly attempt: number;
  private knownId: string | undefined;

  constructor(
    private readonly message: JsMsg,
    tries: number,
    readonly signal: AbortSignal,
  ) {
    this.attempt = message.info.deliveryCount + tries;
  }

  get id(): string {
    return (this.knownId ??= this.header('Nats-Msg-Id') ?? `${this.message.info.stream}:${this.message.seq}`);
  }

  readonly header = (name: string): string | undefined => this.message.headers?.get(name) || undefined;
}

/** The error of a handler that did not end in time. It may run on, as a second replica that handles the same event. */
class Overdue extends Error {
  override readonly name = 'HandlerOverdue';
}

const overdue = () => new Overdue('a handler did not end in its time');

/** A message that cannot be read. */
class Poison extends Error {}

/** Whether no retry can help: a message that cannot be read now can never be read. */
const isHopeless = (failure: unknown) =>
  failure instanceof Poison || (failure instanceof Refusal && ['decryptor.unreadable', 'documents.too_large'].includes(failure.key));

/** Whether a second try in place would not help. */
const isLeft = (failure: unknown) => isHopeless(failure) || failure instanceof Overdue || isTransient(failure);
