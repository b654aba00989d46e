import type { Values } from '@codase/contracts';
import type { z } from 'zod';

export interface ConsumerOptions<P extends string = string> {
  /** The durable consumer's name; replicas that give the same name share its messages. */
  as: string;
  /** Takes only messages whose subject has these values; all messages when absent. */
  only?: Partial<Values<P>>;
  /** Whether a message with these values is not wanted here: such messages are acked unread. */
  skips?: (values: Values<P>) => boolean;
  /** Pauses before each further try of a failed event; after the last try the event is parked. */
  backoffMs?: readonly number[];
  /** Pauses before an event is delivered again that failed for a transient reason. The last pause is repeated for as long as it takes. */
  postponeMs?: readonly number[];
  /** How long the server waits for an ack or a sign of life before it delivers the event to another replica. */
  ackWaitMs?: number;
  /** How long a handler may take; after that its event is taken from it, and delivered again. */
  handleMs?: number;
  /** How many events one process holds at once. One by one, in order, is the default. */
  atOnce?: number;
}

/** What is known of an event beside its message. */
export interface Delivery {
  /** The id by which a repeat is recognised: the one that its publisher gave it, or its position in the stream. */
  id: string;
  header(name: string): string | undefined;
  /** How often the event was tried, this time included. */
  attempt: number;
  /** Aborted when the consumer is to stop, or handling took too long. Work may then throw, and the event is delivered again. */
  signal: AbortSignal;
}

export type Handle<P extends string, M extends z.ZodType> = (
  message: z.output<M>,
  values: Values<P>,
  delivery: Delivery,
) => void | Promise<void>;

/** One event of a batch. */
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
   * The size of the largest batch. Replicas that handle no batches must not share the consumer: their events would overtake others. When
   * absent, an existing consumer keeps its own limit, and handles events one by one if it was created for that; a new one gets `BATCH`.
   */
  most?: number | undefined;
  /** Called when an event was delivered and its turn may come soon: work that has no effect may begin. */
  prepare?(message: z.output<M>): void;
  /**
   * Handles the events in their order, and returns how many it handled: the first at least, and no further one once it is time to end. When
   * it throws, none of its effects may remain, and each event is handled alone.
   */
  handle(items: readonly BatchItem<P, M>[], isTimeToEnd: () => boolean): Promise<number>;
}

export const BACKOFF_MS = [200, 1000, 5000, 15_000];
export const POSTPONE_MS = [500, 1000, 2000, 5000, 10_000];
/** The size of the largest batch of a new consumer, unless its options say otherwise. */
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
