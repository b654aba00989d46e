import { SEALED_CHARS, type FeedEvent, type Opened, type ToOpen } from '@codase/contracts';
import type { AnyHandler } from './handlers.ts';
import type { Opener } from './opener.ts';

/**
 * The values of one event, as its handler opens them. Those that the handler declares are requested at once, so that the values of several
 * events are opened together. Otherwise each handler would wait for the decryptor in turn.
 */
export class OpenedEvent {
  /** Settles when all declared values are opened or have failed. A handler that asks for a failed value gets its error. */
  readonly settled: Promise<unknown>;
  private readonly ahead: readonly (readonly [ToOpen, Promise<Opened>])[];

  constructor(
    private readonly opener: Pick<Opener, 'open'>,
    declared: readonly ToOpen[],
  ) {
    this.ahead = declared.map((request) => [request, opener.open(request)]);
    const [first, ...others] = this.ahead.map(([, opened]) => opened.catch(unheard));
    this.settled = others.length === 0 ? (first ?? SETTLED) : Promise.all([first, ...others]);
  }

  /** Opens what the handler of an event declares. */
  static of(opener: Pick<Opener, 'open'>, event: FeedEvent, handler: Pick<AnyHandler<never>, 'opens'> | undefined): OpenedEvent {
    const isShort = ({ value }: ToOpen) => value.length <= SEALED_CHARS; // a longer one is opened by its own key
    return new OpenedEvent(opener, handler?.opens(event).filter(isShort) ?? []);
  }

  /** Whether any value was requested ahead. */
  get isAhead(): boolean {
    return this.ahead.length > 0;
  }

  readonly open = (toOpen: ToOpen): Promise<Opened> =>
    this.ahead.find(([request]) => isSame(request, toOpen))?.[1] ?? this.opener.open(toOpen);
}

const SETTLED = Promise.resolve();
/** Ignores the error here: a handler that asks for the value gets it. */
const unheard = () => undefined;

const isSame = (one: ToOpen, other: ToOpen): boolean =>
  one.value === other.value &&
  one.field_type === other.field_type &&
  one.verification?.verified_hash === other.verification?.verified_hash &&
  one.verification?.verified_salt === other.verification?.verified_salt;
