import type { Values } from '@cds/contracts';
import type { z } from 'zod';

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

/** An event among several. */
export interface BatchItem<P extends string, M extends z.ZodType> {
  message: z.output<M>;
  values: Values<P>;
  delivery: Delivery;
  /** Begins the span of this event, which belongs to the trace of the event and lasts until it is ended. */
  start(): EventSpan;
}

/** The span of an event that is being handled. */
export interface EventSpan {
  within<T>(work: () => T): T;
  fail(error: unknown): void;
  end(): void;
}

/** How several events are handled at once. */
export interface BatchOptions<P extends string, M extends z.ZodType> {
  /**
   * The largest batch. Replicas that handle no batches must not share the consumer: they would overtake. When absent, a consumer that
   * stands keeps to what it has, and so one by one where it was made for that; one that is made anew gets `BATCH`.
   */
  most?: number | undefined;
  /** An event was delivered, and its turn may come soon: what has no effect may begin. */
  prepare?(message: z.output<M>): void;
  /**
   * Handles them in their order, and answers how many it handled: the first at least, and no further one once it is time to end. When it
   * throws, nothing of it may remain, and each is handled alone.
   */
  handle(items: readonly BatchItem<P, M>[], isTimeToEnd: () => boolean): Promise<number>;
}

export const BACKOFF_MS = [200, 1000, 5000, 15_000];
export const POSTPONE_MS = [500, 1000, 2000, 5000, 10_000];
/** Events of a batch where nobody says otherwise. */
export const BATCH = 50;
const ACK_WAIT_MS = 30_000;
const HANDLE_MS = 5 * 60_000;

export const USUAL = {
  backoffMs: BACKOFF_MS,
  postponeMs: POSTPONE_MS,
  ackWaitMs: ACK_WAIT_MS,
  handleMs: HANDLE_MS,
  atOnce: 1,
} satisfies Partial<ConsumerOptions>;
export type Settled<P extends string> = ConsumerOptions<P> & Required<Pick<ConsumerOptions<P>, keyof typeof USUAL>>;
