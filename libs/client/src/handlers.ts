import { EventName, type FeedEvent, type FeedEventOf, type Opened, type Sealed, type ToOpen } from '@codase/contracts';

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
  /** Whether the event is one that somebody asked to resend. It is handled again, since its first effect may be lost. */
  resent: boolean;
  /** Whether the event was not received, but found missing by a comparison with the platform. */
  reconciled: boolean;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** Aborts when the group is to stop, or the handler takes too long. It may then give up by throwing: the event comes again. */
  signal: AbortSignal;
}

/** One of several events, with what a handler gets beside it. */
export interface Taken<E, Tx> extends Handling<Tx> {
  event: E;
}

/** The members of an event that hold a sealed value. */
type SealedMember<E> = { [M in keyof E]-?: NonNullable<E[M]> extends Sealed ? M : never }[keyof E];

/** What a handler opens of each event. */
interface Opening<E> {
  /**
   * The values that the handler always opens: the members of the event that hold them, or a function that returns what the handler gives to
   * `open`. They are opened together for all events that wait, before the transaction begins.
   */
  opens?: readonly SealedMember<E>[] | ((event: E) => readonly ToOpen[]);
}

/** Handles one event. */
type One<E, Tx> = (event: E, handling: Handling<Tx>) => void | Promise<void>;

/** Handles one event, and declares which values it opens. */
interface Declaring<E, Tx> extends Opening<E> {
  handle: One<E, Tx>;
}

/** Handles consecutive events of one kind together, so that one statement can write them all. There may be only one. */
export interface Together<E, Tx> extends Opening<E> {
  together(taken: readonly Taken<E, Tx>[], tx: Tx): void | Promise<void>;
}

/** A handler for each kind of event you care about. Events of other kinds are skipped. */
export type Handlers<Tx> = {
  [N in EventName]?: One<FeedEventOf<N>, Tx> | Declaring<FeedEventOf<N>, Tx> | Together<FeedEventOf<N>, Tx>;
};

/** A handler for events that are already known to be of its kind. */
export interface AnyHandler<Tx> extends Together<FeedEvent, Tx> {
  /** Whether the handler gets its events one by one. */
  takesOne: boolean;
  /** Returns the values of an event that the handler declares. */
  opens(event: FeedEvent): readonly ToOpen[];
}

/** Returns the handlers by kind of event. Throws for a kind that no contract knows: its handler would never be called. */
export function byKind<Tx>(handlers: Handlers<Tx>): ReadonlyMap<string, AnyHandler<Tx>> {
  const strange = Object.keys(handlers).filter((kind) => !EventName.safeParse(kind).success);
  if (strange.length > 0) throw new Error(`There is no event ${strange.join(', ')}: the kinds are ${EventName.options.join(', ')}`);
  const given = Object.entries(handlers) as [string, Given<Tx> | undefined][];
  return new Map(given.flatMap(([kind, handler]) => (handler ? [[kind, anyHandler(handler)]] : [])));
}

type Given<Tx> = One<FeedEvent, Tx> | Declaring<FeedEvent, Tx> | Together<FeedEvent, Tx>;

function anyHandler<Tx>(given: Given<Tx>): AnyHandler<Tx> {
  if (typeof given === 'function') return { takesOne: true, opens: () => [], together: handingOver(given) };
  const opens = openingOf(given);
  if ('handle' in given) return { takesOne: true, opens, together: handingOver(given.handle) };
  return { takesOne: false, opens, together: (taken, tx) => given.together(taken, tx) };
}

const handingOver =
  <Tx>(handle: One<FeedEvent, Tx>): AnyHandler<Tx>['together'] =>
  ([one]) => {
    const { event, ...handling } = one!;
    return handle(event, handling);
  };

function openingOf({ opens = [] }: Opening<FeedEvent>): AnyHandler<never>['opens'] {
  if (typeof opens === 'function') return opens;
  const members: readonly string[] = opens;
  return (event) => {
    const values = members.map((member) => (event as unknown as Record<string, Sealed | undefined>)[member]);
    return values.flatMap((value) => (value === undefined ? [] : [{ value }]));
  };
}
