import { EventName, type FeedEvent, type FeedEventOf, type Opened, type ToOpen } from '@cds/contracts';

/** What a handler gets beside its event. */
export interface Handling<Tx> {
  /** The transaction in which the event counts as handled: what is written through it happens once, or not at all. */
  tx: Tx;
  /** Opens a value of the event, or a file, whatever its length; refused with `decryptor.unreadable` when it does not open. */
  open(toOpen: ToOpen): Promise<Opened>;
  /** The dedup key: two deliveries of the same message have the same. */
  message_id: string;
  /** The event's own id, the same when it is sent again on request. */
  event_id: string;
  /** Sent once more because somebody asked to resend that time range. It is handled again, since its first effect may be lost. */
  resent: boolean;
  /** Not received but found missing, by comparing with the platform. */
  reconciled: boolean;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** The group is asked to stop. What takes long may give up by throwing: the event comes again. */
  signal: AbortSignal;
}

/** An event among several, with what a handler gets beside it. */
export interface Taken<E, Tx> extends Handling<Tx> {
  event: E;
}

/**
 * Handles the events of a kind that follow each other in a batch at once, so that one statement can write them all. It gets one alone
 * where no more wait, or where several have failed.
 */
export interface Together<E, Tx> {
  together(taken: readonly Taken<E, Tx>[], tx: Tx): void | Promise<void>;
}

/** A handler for each kind of event you care about; the others are passed over. */
export type Handlers<Tx> = {
  [N in EventName]?: ((event: FeedEventOf<N>, handling: Handling<Tx>) => void | Promise<void>) | Together<FeedEventOf<N>, Tx>;
};

/** A handler once its events are known to be of its kind. */
export interface AnyHandler<Tx> extends Together<FeedEvent, Tx> {
  /** Whether it gets its events one by one. */
  takesOne: boolean;
}

/** The handlers by the kind of event. A kind that no contract knows is a typing error: its handler would never be called. */
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
