import { AckPolicy, type Consumer, type ConsumerConfig, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { filter, Refusal, valuesOf, type Subject, type Values } from '@cds/contracts';
import type { z } from 'zod';
import { setTimeout as pause } from 'node:timers/promises';
import { count, inSpan, linkTo, SpanKind, timed, traceOf, type Log } from '../telemetry/index.ts';
import { carrierOf, messaging, type Bus } from './bus.ts';
import { park } from './parked.ts';
import { readMessage } from './wire.ts';

export interface ConsumerOptions {
  /** The durable consumer's name; replicas that give the same name share its messages. */
  as: string;
  /** Pauses before each further try of a failed event; after the last it is parked. */
  backoffMs?: readonly number[];
  /** How long the server waits for a word from us before it hands the event to another. */
  ackWaitMs?: number;
  /** How many events one process holds at once. One by one, in order, is the default. */
  atOnce?: number;
}

export const BACKOFF_MS = [200, 1000, 5000, 15_000];
const ACK_WAIT_MS = 30_000;
/** How long one pull waits at the server. Half of it is the heartbeat by which a pull that a restarted server forgot is noticed. */
const PULL_MS = 5000;

export type Handle<P extends string, M extends z.ZodType> = (message: z.output<M>, values: Values<P>) => void | Promise<void>;

/**
 * A durable consumer. The event is acked after its effect; a handler that throws is tried again in place, so that later
 * events do not overtake; what still fails, or cannot be read at all, is parked where an operator sees it.
 */
export class DurableConsumer<P extends string, M extends z.ZodType> {
  private messages?: ConsumerMessages;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  private constructor(private readonly bus: Bus, private readonly subject: Subject<P, M>, private readonly options: Required<ConsumerOptions>, private readonly handle: Handle<P, M>, private readonly log: Log) {}

  static async start<P extends string, M extends z.ZodType>(bus: Bus, subject: Subject<P, M>, options: ConsumerOptions, handle: Handle<P, M>, log: Log): Promise<DurableConsumer<P, M>> {
    const settled = { backoffMs: BACKOFF_MS, ackWaitMs: ACK_WAIT_MS, atOnce: 1, ...options };
    const consumer = new DurableConsumer(bus, subject, settled, handle, log);
    const source = await consumer.ensure();
    consumer.running.push(consumer.run(source));
    return consumer;
  }

  /** Stops taking events and waits for those in hand. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.messages?.close();
    await Promise.allSettled(this.running);
  }

  private async ensure(): Promise<Consumer> {
    const { as, ackWaitMs, atOnce } = this.options;
    const manager = await this.bus.manager();
    const config: Partial<ConsumerConfig> = {
      durable_name: as,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: atOnce,
      filter_subject: filter(this.subject),
    };
    await manager.consumers.add(this.subject.stream!, config);
    return this.bus.streams.consumers.get(this.subject.stream!, as);
  }

  /** One loop per event held at once; the stream sends no more than that unacked, so order holds when it is one. */
  private async run(source: Consumer): Promise<void> {
    this.messages = await source.consume({ max_messages: this.options.atOnce, expires: PULL_MS });
    const held = new Set<Promise<void>>();
    for await (const message of this.messages) {
      const work = this.take(message).finally(() => held.delete(work));
      held.add(work);
      if (held.size >= this.options.atOnce) await Promise.race(held);
    }
    await Promise.allSettled(held);
  }

  private async take(message: JsMsg): Promise<void> {
    const startedAt = performance.now();
    const parent = traceOf(carrierOf(message.headers));
    const attributes = { ...messaging('process', this.subject), 'messaging.consumer.group.name': this.options.as, 'cds.deliveries': message.info.deliveryCount };
    const alive = setInterval(() => message.working(), this.options.ackWaitMs / 3).unref();
    try {
      await inSpan(`process ${this.subject.pattern}`, { kind: SpanKind.CONSUMER, parent, links: linkTo(parent), attributes }, () => this.settle(message));
    } catch (error) {
      // Neither handled nor parked: say nothing, and the server hands it out again.
      this.log.error('event left for redelivery', { 'messaging.consumer.group.name': this.options.as, error });
    } finally {
      clearInterval(alive);
      timed('busHandled', startedAt, { 'messaging.consumer.group.name': this.options.as });
    }
  }

  private async settle(message: JsMsg): Promise<void> {
    const failure = await this.attempt(message);
    if (failure === undefined) {
      await message.ackAck();
    } else if (this.stopping.signal.aborted) {
      message.nak();
    } else {
      await park(this.bus, { consumer: this.options.as, message, failure });
      message.term();
      count('busParked', { 'messaging.consumer.group.name': this.options.as });
      this.log.error('event parked', { 'messaging.consumer.group.name': this.options.as, 'cds.deliveries': message.info.deliveryCount, error: failure });
    }
  }

  /** Tries until it succeeds or the pauses are used up; answers the last failure. */
  private async attempt(message: JsMsg): Promise<unknown> {
    for (let tries = 0; ; tries++) {
      const failure = await this.once(message);
      const pauseMs = this.options.backoffMs[tries];
      if (failure === undefined || pauseMs === undefined || isPoison(failure)) return failure;
      count('busRetried', { 'messaging.consumer.group.name': this.options.as });
      this.log.warn('event failed, trying again', { 'messaging.consumer.group.name': this.options.as, 'cds.attempt': tries + 1, error: failure });
      await pause(pauseMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      if (this.stopping.signal.aborted) return failure;
    }
  }

  private async once(message: JsMsg): Promise<unknown> {
    try {
      await this.handle(readMessage(this.subject, message.data), valuesOf(this.subject, message.subject)!);
      return undefined;
    } catch (error) {
      return error ?? new Error('a handler threw nothing');
    }
  }
}

/** A message that will never fit is not worth a second try. */
const isPoison = (failure: unknown) => failure instanceof Refusal && failure.key === 'request.invalid';
