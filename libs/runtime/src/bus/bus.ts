import {
  createInbox,
  headers,
  PermissionViolationError,
  RequestError,
  TimeoutError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Subscription,
} from '@nats-io/transport-node';
import type { Span } from '@opentelemetry/api';
import { jetstream, JetStreamApiError, jetstreamManager, type JetStreamClient, type JetStreamManager } from '@nats-io/jetstream';
import { at, filter, Refusal, retryAdvice, TIMEOUT_HEADER, valuesOf, type Subject, type Values } from '@cds/contracts';
import type { z } from 'zod';
import {
  carryTrace,
  count,
  countFromZero,
  describeError,
  inSpan,
  SpanKind,
  timed,
  traceOf,
  type Carrier,
  type Log,
  RUNTIME_METRICS,
} from '../telemetry/index.ts';
import { INITIATOR_HEADER, initiatorHeader, onBehalfOf, readInitiator } from '../initiator/initiator.ts';
import { refuseInTransaction } from '../open-transaction.ts';
import { hedge } from '../resilience/hedge.ts';
import { RetryBudget } from '../resilience/retry-budget.ts';
import { retry } from '../resilience/retry.ts';
import { openConnection, type BusAddress, type Refusals } from './connect.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { inboxOf, isInbox, userOf } from './inbox.ts';
import { notStored } from './not-stored.ts';
import { isTooLong } from './too-long.ts';
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

export type Answer<P extends string, M extends z.ZodType, R extends z.ZodType> = (
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
  private readonly budget = new RetryBudget(HEDGES);
  /** Patterns of the subjects on which requests were sent. */
  private readonly asked = new Set<string>();
  private readonly watch: ConnectionWatch;

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

  /**
   * Publishes on a subject that holds one message at most. Does nothing when the subject already holds one, however old that is. Returns
   * whether the message was published.
   */
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
      if (this.watch.stands(cameBy)) message.respond(data, options);
      else count(RUNTIME_METRICS.busUnanswered);
    };
  }

  /** Waits for the answers under way, then closes the connection. */
  async close(): Promise<void> {
    this.watch.stop();
    await Promise.allSettled(this.inFlight);
    if (!this.connection.isClosed()) await this.connection.drain();
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
    const labels = { 'messaging.destination.template': subject.pattern, 'cds.outcome': outcome };
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
    this.countRepeats(subject);
    const attributes = { 'messaging.destination.template': subject.pattern };
    const endsAt = performance.now() + timeout;
    const ask = (mostMs: number) => {
      const ms = Math.max(1, Math.min(mostMs, Math.round(endsAt - performance.now())));
      return this.connection
        .request(to, message, { timeout: ms, headers: acceptBytes(subject, requestHeaders(ms)) })
        .catch((error: unknown) => {
          throw isTooLong(error) ? this.tooLong('message') : error;
        })
        .then((reply) => readReply(subject, reply));
    };
    const askUntilHeard = (mostMs = Infinity) =>
      retry(() => ask(mostMs), {
        backoff: UNHEARD_BACKOFF,
        bound: { withinMs: Math.min(UNHEARD_MS, timeout) },
        metric: RUNTIME_METRICS.busUnheardRetried,
        attributes,
        isWorth: isUnheard,
      });
    const metric = RUNTIME_METRICS.busRepeated;
    if (subject.idempotent === 'at_once' || subject.idempotent === 'costly') {
      const options = { afterMs: HEDGE_AFTER_MS[subject.idempotent], budget: this.budget, isFinal: isRefusedForGood, metric, attributes };
      return hedge(() => askUntilHeard(), options);
    }
    if (subject.idempotent === 'in_turn' && timeout > FIRST_TURN_MS) {
      const turns = [FIRST_TURN_MS, Infinity];
      const options = { backoff: NO_PAUSE, bound: { attempts: turns.length }, metric, attributes, isWorth: isLate };
      return retry(() => askUntilHeard(turns.shift()), options);
    }
    return askUntilHeard();
  }

  private countRepeats({ pattern, idempotent }: Subject): void {
    if (this.asked.has(pattern)) return;
    this.asked.add(pattern);
    const attributes = { 'messaging.destination.template': pattern };
    countFromZero(RUNTIME_METRICS.busUnheardRetried, attributes);
    if (idempotent) countFromZero(RUNTIME_METRICS.busRepeated, attributes);
  }

  /** Notes work that close() waits for. */
  private track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => this.log.error('reply could not be sent', { error }))
      .finally(() => this.inFlight.delete(tracked));
    this.inFlight.add(tracked);
  }
}

/** The server's code for a subject whose last message is not the expected one. */
const NOT_THE_FIRST = 10071;

/**
 * Pauses before a request without an answer is sent again. Most answers come in a tenth of the first pause. After three attempts in all,
 * the replicas that could answer are slow, not dead.
 */
const HEDGE_AFTER_MS = { at_once: [400, 800], costly: [1000] };
/**
 * Whether a refusal ends the request. One that says that a replica is busy does not: another replica may still answer the first attempt.
 */
const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Refusal && !['later', 'in_doubt'].includes(retryAdvice(error.key).retry);
const HEDGES = { share: 0.1, most: 50 };
/** How long the first of two attempts waits. The second attempt has the rest of the time. */
const FIRST_TURN_MS = 1000;
const NO_PAUSE = { firstMs: 0, longestMs: 0 };
const isLate = (error: unknown): boolean => error instanceof TimeoutError;

/** Pauses while nobody listens: after the loss of a node, subscriptions are back on another one within half a second. */
const UNHEARD_BACKOFF = { firstMs: 50, longestMs: 200 };
const UNHEARD_MS = 800;
const isUnheard = (error: unknown): boolean => error instanceof RequestError && error.isNoResponders();

export const messaging = (type: 'send' | 'process', subject: Subject) => ({
  'messaging.system': 'nats' as const,
  'messaging.operation.type': type,
  'messaging.destination.template': subject.pattern,
});

/** Reads headers only when one is asked for: without tracing, none is. */
export const carrierOf = (message: Pick<Msg, 'headers'>): Carrier => ({
  get: (name) => message.headers?.get(name),
  set: (name, value) => message.headers?.set(name, value),
});

export function tracedHeaders(): MsgHdrs {
  const fresh = headers();
  carryTrace(carrierOf({ headers: fresh }));
  return fresh;
}

/**
 * The headers of a request: its trace, how long the caller waits, and on whose behalf it asks. The wait is a duration rather than a time of
 * day, because the clocks of two machines differ.
 */
function requestHeaders(timeout: number): MsgHdrs {
  const marked = tracedHeaders();
  marked.set(TIMEOUT_HEADER, String(timeout));
  const initiator = initiatorHeader();
  if (initiator !== undefined) marked.set(INITIATOR_HEADER, initiator);
  return marked;
}

function timeoutOf({ headers: marks }: Msg): number | undefined {
  const ms = Number(marks?.get(TIMEOUT_HEADER));
  return ms > 0 ? ms : undefined;
}

const reachedNobody = new WeakSet<object>();

function unheard(refusal: Refusal): Refusal {
  reachedNobody.add(refusal);
  return refusal;
}

/** Whether a request failed because nobody listened. Then it surely had no effect, while one whose answer is only late may have had one. */
export const wasUnheard = (error: unknown): boolean => typeof error === 'object' && error !== null && reachedNobody.has(error);

function noAnswer(subject: Subject, error: unknown): unknown {
  if ((error as Error).cause instanceof PermissionViolationError || error instanceof PermissionViolationError)
    return new Refusal('auth.client_endpoint_forbidden').because(`This bus user may not ask ${subject.pattern}`);
  if (isUnheard(error))
    return unheard(new Refusal('service.unavailable').because(`Nobody answers ${subject.pattern}: is that service running?`));
  if (error instanceof TimeoutError || error instanceof RequestError)
    return new Refusal('service.unavailable').because(`No answer on ${subject.pattern} in time`);
  return error;
}
