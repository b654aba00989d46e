import { createInbox, type Msg, type MsgHdrs, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { Span } from '@opentelemetry/api';
import { jetstream, JetStreamApiError, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { at, filter, Refusal, valuesOf, type Subject, type Values } from '@codase/contracts';
import type { z } from 'zod';
import { count, describeError, inSpan, SpanKind, timed, traceOf, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { INITIATOR_HEADER, onBehalfOf, readInitiator } from '../initiator/initiator.ts';
import { refuseInTransaction } from '../open-transaction.ts';
import { isTooLong, noAnswer, notStored } from './bus-failures.ts';
import { openConnection, type BusAddress, type Refusals } from './connect.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { inboxOf, isInbox, userOf } from './inbox.ts';
import { carrierOf, messaging, requestHeaders, timeoutOf, tracedHeaders } from './message-context.ts';
import { RepeatedRequests } from './repeated-requests.ts';
import { acceptBytes, readMessage, readReply, writeRefusal, writeReply } from './wire.ts';

export interface BusOptions extends BusAddress {
  log: Log;
  /** How long to wait for a server that is still coming up, and for the app that makes the consumers of a stream. */
  connectSeconds?: number | undefined;
  /** How long a request waits for its answer when it sets no time of its own; five seconds when absent. */
  timeoutMs?: number | undefined;
}

export interface RequestOptions {
  timeout?: number;
}

const TIMEOUT_MS = 5000;

/** What is known of a request beside its message. */
export interface RequestContext {
  /** The bus user who gets the answer; undefined on a bus without users. */
  readonly user: string | undefined;
  /** How long the caller said it waits for the answer. */
  readonly withinMs: number | undefined;
}

type Answer<P extends string, M extends z.ZodType, R extends z.ZodType> = (
  message: z.output<M>,
  values: Values<P>,
  context: RequestContext,
) => z.input<R> | Promise<z.input<R>>;

/** Typed NATS: requests and replies on core subjects, events on streams. */
export class Bus {
  readonly connection: NatsConnection;
  readonly streams: JetStreamClient;
  /** How long to wait at the start for a server or an app that is still coming up. */
  readonly connectSeconds: number | undefined;
  private readonly timeoutMs: number;
  private readonly log: Log;
  private readonly inFlight = new Set<Promise<void>>();
  private readonly repeats = new RepeatedRequests();
  private readonly watch: ConnectionWatch;
  private closing: Promise<void> | undefined;

  private constructor(
    connection: NatsConnection,
    private readonly address: BusAddress,
    refusals: Refusals,
    { log, connectSeconds, timeoutMs = TIMEOUT_MS }: Omit<BusOptions, keyof BusAddress>,
  ) {
    this.connection = connection;
    this.streams = jetstream(connection);
    this.log = log;
    this.connectSeconds = connectSeconds;
    this.timeoutMs = timeoutMs;
    this.watch = new ConnectionWatch(connection, address, refusals, log);
  }

  static async connect({ log, connectSeconds, timeoutMs, ...address }: BusOptions): Promise<Bus> {
    const refusals = { count: 0 };
    return new Bus(await openConnection(address, refusals, connectSeconds), address, refusals, { log, connectSeconds, timeoutMs });
  }

  get isConnected(): boolean {
    return this.problem === null;
  }

  /** Why no request can be sent now, in a sentence that says what to mend; null while the connection stands. */
  get problem(): string | null {
    return this.watch.problem;
  }

  /** Settles when the connection is over for good, which only close() brings about. */
  get closed(): Promise<void> {
    return this.connection.closed().then(() => undefined);
  }

  /** The most bytes that the server carries in one message, headers included. */
  get messageBytes(): number {
    return this.connection.info?.max_payload ?? Infinity;
  }

  /** Returns a new reply subject that belongs to this user. */
  newInbox(): string {
    return createInbox(this.address.user === undefined ? undefined : inboxOf(this.address.user));
  }

  manager(options: { checkAPI?: boolean } = {}): Promise<JetStreamManager> {
    return jetstreamManager(this.connection, options);
  }

  /**
   * Sends a request and waits for the typed answer; a refusal comes back as the Refusal that was thrown. One of several replicas gets the
   * request, and may die with it: an idempotent request is sent again when no answer comes. When nobody listens, which happens for a moment
   * when a node of the bus is lost, any request is sent again (decision 63).
   */
  request<P extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<P, M, R>,
    values: Values<P>,
    message: z.input<M>,
    { timeout = this.timeoutMs }: RequestOptions = {},
  ): Promise<z.output<R>> {
    refuseInTransaction(`a request on ${subject.pattern}`);
    return inSpan(`send ${subject.pattern}`, { kind: SpanKind.CLIENT, attributes: messaging('send', subject) }, async () => {
      return await this.answerTo(subject, at(subject, values), JSON.stringify(message), timeout).catch((error: unknown) => {
        throw noAnswer(subject, error);
      });
    });
  }

  /** Sends a request to all listeners and collects their answers, until there are as many as wanted or the time is over. */
  async requestMany<P extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<P, M, R>,
    values: Values<P>,
    message: z.input<M>,
    { most, timeout = 2000 }: { most: number; timeout?: number },
  ): Promise<z.output<R>[]> {
    refuseInTransaction(`a request on ${subject.pattern}`);
    const answers: z.output<R>[] = [];
    if (most === 0) return answers;
    const replies = await this.connection.requestMany(at(subject, values), JSON.stringify(message), {
      strategy: 'count',
      maxMessages: most,
      maxWait: timeout,
      headers: tracedHeaders(),
    });
    for await (const reply of replies) answers.push(readReply(subject, reply));
    return answers;
  }

  /** Publishes an event on its stream and waits until the stream holds it. The id makes a repeat harmless. */
  publish<P extends string, M extends z.ZodType>(
    subject: Subject<P, M>,
    values: Values<P>,
    message: z.input<M>,
    id: string,
  ): Promise<void> {
    return inSpan(
      `send ${subject.pattern}`,
      { kind: SpanKind.PRODUCER, attributes: { ...messaging('send', subject), 'messaging.message.id': id } },
      async () => {
        const options = { msgID: id, headers: tracedHeaders() };
        await this.streams.publish(at(subject, values), JSON.stringify(message), options).catch((error: unknown) => {
          throw notStored(subject.pattern, error);
        });
      },
    );
  }

  /** Publishes on a subject that holds one message at most. Returns whether it did: not when the subject already holds one. */
  publishOnce<P extends string, M extends z.ZodType>(subject: Subject<P, M>, values: Values<P>, message: z.input<M>): Promise<boolean> {
    return inSpan(`send ${subject.pattern}`, { kind: SpanKind.PRODUCER, attributes: messaging('send', subject) }, async () => {
      const options = { headers: tracedHeaders(), expect: { lastSubjectSequence: 0 } };
      try {
        await this.streams.publish(at(subject, values), JSON.stringify(message), options);
        return true;
      } catch (error) {
        if (!(error instanceof JetStreamApiError && error.code === NOT_THE_FIRST)) throw notStored(subject.pattern, error);
        return false;
      }
    });
  }

  /** Answers requests on a subject; replicas that give the same queue share them. */
  async answer<P extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<P, M, R>,
    values: Partial<Values<P>>,
    answer: Answer<P, M, R>,
    { queue }: { queue?: string } = {},
  ): Promise<Subscription> {
    const subscription = this.connection.subscribe(filter(subject, values), {
      ...(queue && { queue }),
      callback: (error, message) => {
        if (error) this.log.error('subscription failed', { 'messaging.destination.template': subject.pattern, error });
        else if (message.reply && !isInbox(message.reply))
          this.log.warn('request ignored: its answer would go to no inbox', { 'messaging.destination.template': subject.pattern });
        else this.track(this.reply(subject, answer, message));
      },
    });
    await this.connection.flush();
    return subscription;
  }

  /**
   * Returns a function that answers a request. The server lets a request be answered only on the connection that it came by, and reports an
   * answer on another one as forbidden. When that connection is lost, the answer is dropped and counted.
   */
  responder(message: Msg): (data: Uint8Array | string, options?: { headers?: MsgHdrs }) => void {
    const cameBy = this.watch.connectionId;
    return (data, options) => {
      if (this.watch.isCurrent(cameBy)) message.respond(data, options);
      else count(RUNTIME_METRICS.busUnanswered);
    };
  }

  /** Waits for the answers under way, then closes the connection. It succeeds while the server is away, and when it is called again. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    // What waits to be sent is dropped when the connection is lost, so there is nothing to drain then.
    if (this.isConnected) await this.connection.drain().catch(unheard);
    await this.connection.close();
    this.watch.stop(); // at the end, because the connection may be lost until then
  }

  private async reply<P extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<P, M, R>,
    answer: Answer<P, M, R>,
    message: Msg,
  ): Promise<void> {
    const startedAt = performance.now();
    const respond = this.responder(message);
    const attributes = messaging('process', subject);
    let outcome = 'ok';
    let answering: Span | undefined;
    await inSpan(`process ${subject.pattern}`, { kind: SpanKind.SERVER, parent: traceOf(carrierOf(message)), attributes }, async (span) => {
      answering = span;
      const context = { user: userOf(message), withinMs: timeoutOf(message) };
      const work = () => answer(readMessage(subject, message.data), valuesOf(subject, message.subject)!, context);
      const initiator = readInitiator(message.headers?.get(INITIATOR_HEADER));
      const result = await (initiator ? onBehalfOf(initiator, work) : work());
      const [data, marks] = writeReply(subject, message.headers, result);
      this.respondWhole(respond, data, marks);
    }).catch((error: unknown) => {
      outcome = error instanceof Refusal ? 'refused' : 'failed';
      const refusal = error instanceof Refusal ? error : this.unexpected(subject, error);
      respond(...writeRefusal(refusal));
    });
    const labels = { 'messaging.destination.template': subject.pattern, 'codase.outcome': outcome };
    timed(RUNTIME_METRICS.busAnswer, startedAt, labels, answering);
  }

  /** Sends the answer. When it is longer than the server carries, the caller gets a refusal that says so. */
  private respondWhole(respond: ReturnType<Bus['responder']>, data: Uint8Array, marks: MsgHdrs | undefined): void {
    try {
      respond(data, marks && { headers: marks });
    } catch (error) {
      throw isTooLong(error) ? this.tooLong('answer') : error;
    }
  }

  /** The refusal of a message or an answer that is too long. It would never come through, so no caller shall try again. */
  private tooLong(what: 'message' | 'answer'): Refusal {
    const mend = what === 'answer' ? 'ask for less at once' : 'send less at once';
    return new Refusal('request.too_large').because(`The ${what} is longer than the ${this.messageBytes} bytes the bus carries: ${mend}`);
  }

  private unexpected(subject: Subject, error: unknown): Refusal {
    count(RUNTIME_METRICS.unexpected, { 'error.type': describeError(error)['error.type'] });
    this.log.error('request failed', { 'messaging.destination.template': subject.pattern, error });
    return new Refusal('service.unavailable');
  }

  private answerTo<P extends string, M extends z.ZodType, R extends z.ZodType>(
    subject: Subject<P, M, R>,
    to: string,
    message: string,
    timeout: number,
  ): Promise<z.output<R>> {
    const endsAt = performance.now() + timeout;
    const ask = async (mostMs: number) => {
      const ms = Math.max(1, Math.min(mostMs, Math.round(endsAt - performance.now())));
      const reply = await this.connection
        .request(to, message, { timeout: ms, headers: acceptBytes(subject, requestHeaders(ms)) })
        .catch((error: unknown) => {
          throw isTooLong(error) ? this.tooLong('message') : error;
        });
      return readReply(subject, reply);
    };
    return this.repeats.send(subject, timeout, ask);
  }

  /** Notes work that close() waits for. */
  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.log.error('reply could not be sent', { error }))
      .finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
  }
}

/** Ignores that the connection was lost while it was drained. The watch has logged the loss. */
const unheard = () => undefined;

/** The server's code for a subject whose last message is not the expected one. */
const NOT_THE_FIRST = 10071;
