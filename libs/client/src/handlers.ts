import { EventName, type FeedEvent, type FeedEventOf, type Opened, type ToOpen } from '@codase/contracts';

/** What a handler gets beside its event. */
export interface Handling<Tx> {
  /** The transaction in which the event counts as handled: what is written through it happens once, or not at all. */
  tx: Tx;
  /** Opens a value of the event, or a file, whatever its length; refused with `decryptor.unreadable` when it does not open. */
  open(toOpen: ToOpen): Promise<Opened>;
  /** The dedup key: two deliveries of the same message have the same key. */
  message_id: string;
  /** The event's own id, which stays the same when the event is sent again on request. */
  event_id: string;
  /**
   * Whether the event is sent once more because somebody asked to resend its time range. It is handled again, since its first effect may be
   * lost.
   */
  resent: boolean;
  /** Whether the event was not received, but found missing by a comparison with the platform. */
  reconciled: boolean;
  /** Number of this attempt, from 1. */
  attempt: number;
  /**
   * Aborts when the group is asked to stop, or when the handler takes too long. A handler may then give up by throwing: the event comes
   * again.
   */
  signal: AbortSignal;
}

/** One of several events, with what a handler gets beside it. */
export interface Taken<E, Tx> extends Handling<Tx> {
  event: E;
}

/**
 * Handles consecutive events of one kind together, so that one statement can write them all. It gets a single event when no more wait, or
 * when several have failed together.
 */
export interface Together<E, Tx> {
  together(taken: readonly Taken<E, Tx>[], tx: Tx): void | Promise<void>;
}

/** A handler for each kind of event you care about. Events of other kinds are skipped. */
export type Handlers<Tx> = {
  [N in EventName]?: ((event: FeedEventOf<N>, handling: Handling<Tx>) => void | Promise<void>) | Together<FeedEventOf<N>, Tx>;
};

/** A handler for events that are already known to be of its kind. */
export interface AnyHandler<Tx> extends Together<FeedEvent, Tx> {
  /** Whether the handler gets its events one by one. */
  takesOne: boolean;
}

/**
 * Returns the handlers by kind of event. Throws for a kind that no contract knows: that is a typing error, and the handler would never be
 * called.
 */
export function byKind<Tx>(handlers: Handlers<Tx>): ReadonlyMap<string, AnyHandler<Tx>> {
  const strange = Object.keys(handlers).filter((kind) => !EventName.safeParse(kind).success);
  if (strange.length > 0) throw new Error(`There is no event ${strange.join(', ')}: the kinds are ${EventName.options.join(', ')}`);
  const given = Object.entries(handlers) as [string, OfOne<Tx> | Together<FeedEvent, Tx> | undefined][];
  return new Map(given.flatMap(([kind, handler]) => (handler ? [[kind, anyHandler(handler)]] : [])));
}

type OfOne<Tx> = (event: FeedEvent, handling: Handling<Tx>) => void | Promise<void>;

const handOver = <Tx>(handler: OfOne<Tx>, { event, ...handling }: Taken<FeedEvent, Tx>) => handler(event, handling);

const anyHandler = <Tx>(handler: OfOne<Tx> | Together<FeedEvent, Tx>): AnyHandler<Tx> =>
  typeof handler === 'function'
    ? { takesOne: true, together: ([one]) => handOver(handler, one!) }
    : { takesOne: false, together: (taken, tx) => handler.together(taken, tx) };
