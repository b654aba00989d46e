import { SEALED_CHARS, type FeedEvent, type Opened, type ToOpen } from '@codase/contracts';
import type { Opener } from './opener.ts';

/** How many events of a kind in a row must follow the prediction before values are opened ahead for that kind. */
const TRUSTED_AFTER = 10;

/** Where a member of a request comes from: a member of the event, or a constant. */
type Source = { member: string } | { always: unknown };
/** How a handler asks for a value of its event: the members of its request, in their order. */
type Template = readonly (readonly [name: string, from: Source])[];

interface Habit {
  templates: readonly Template[];
  /** Events in a row whose handler asked for what the templates say. */
  kept: number;
}

/**
 * Opens the values of several events in one go, before their handlers ask. Otherwise each handler would wait for the decryptor in turn. It
 * learns from earlier events which values to open: a handler that opens `body` of ten messages in a row will open `body` of the next ones.
 * When a handler does something else, nothing is opened ahead for its kind until it has kept to the new habit for as long.
 */
export class OpenAhead {
  private readonly habits = new Map<string, Habit>();

  constructor(private readonly opener: Pick<Opener, 'open'>) {}

  /** Returns the values of an event. Those that its handler is expected to ask for are requested now. */
  of(event: FeedEvent): OpenedEvent {
    return new OpenedEvent(this, this.opener, event, this.requestsOf(event));
  }

  private requestsOf(event: FeedEvent): ToOpen[] {
    const habit = this.habits.get(event.event);
    if (!habit || habit.kept < TRUSTED_AFTER) return [];
    return habit.templates.flatMap((template) => filled(template, event) ?? []);
  }

  /** Learns from what a handler asked for. */
  learn(event: FeedEvent, asked: readonly ToOpen[]): void {
    const habit = this.habits.get(event.event);
    if (habit && isAsForeseen(habit.templates, event, asked)) habit.kept += 1;
    else this.habits.set(event.event, { templates: templatesOf(event, asked), kept: 0 });
  }
}

/** The values of one event, as its handler opens them. */
export class OpenedEvent {
  /** Settles when all values that were requested ahead are opened or have failed. A handler that asks for a failed value gets its error. */
  readonly settled: Promise<unknown>;
  private readonly ahead: readonly (readonly [ToOpen, Promise<Opened>])[];
  private readonly asked: ToOpen[] = [];

  constructor(
    private readonly habits: Pick<OpenAhead, 'learn'>,
    private readonly opener: Pick<Opener, 'open'>,
    private readonly event: FeedEvent,
    requests: readonly ToOpen[],
  ) {
    this.ahead = requests.map((request) => [request, opener.open(request)]);
    const [first, ...others] = this.ahead.map(([, opened]) => opened.catch(unheard));
    this.settled = others.length === 0 ? (first ?? SETTLED) : Promise.all([first, ...others]);
  }

  /** Whether any value was requested ahead. */
  get isAhead(): boolean {
    return this.ahead.length > 0;
  }

  readonly open = (toOpen: ToOpen): Promise<Opened> => {
    this.asked.push(toOpen);
    return this.ahead.find(([request]) => isSame(request, toOpen))?.[1] ?? this.opener.open(toOpen);
  };

  /** Ends the event when its handler is done, and learns what the handler asked for. */
  end(): void {
    this.habits.learn(this.event, this.asked);
  }
}

const SETTLED = Promise.resolve();
/** Ignores the error here: a handler that asks for the value gets it. */
const unheard = () => undefined;

/** Whether two requests have the same members. The members of a predicted request are all text. */
function isSame(foreseen: ToOpen, asked: ToOpen): boolean {
  const names = Object.keys(foreseen) as (keyof ToOpen)[];
  return names.length === Object.keys(asked).length && names.every((name) => foreseen[name] === asked[name]);
}

function isAsForeseen(templates: readonly Template[], event: FeedEvent, asked: readonly ToOpen[]): boolean {
  const foreseen = templates.flatMap((template) => filled(template, event) ?? []);
  return foreseen.length === asked.length && foreseen.every((request, nth) => isSame(request, asked[nth]!));
}

/**
 * Returns how each request can be made from an event. A request whose value does not come from the event, or that has another member that
 * is not text, gives no template.
 */
function templatesOf(event: FeedEvent, asked: readonly ToOpen[]): Template[] {
  return asked.flatMap((request) => {
    const template = Object.entries(request).map(([name, value]) => [name, sourceOf(event, value)] as const);
    const isForeseen = template.every(([name, from]) => 'member' in from || (name !== 'value' && typeof from.always === 'string'));
    return isForeseen ? [template] : [];
  });
}

function sourceOf(event: FeedEvent, value: unknown): Source {
  const member = Object.entries(event).find(([, held]) => held === value)?.[0];
  return member === undefined ? { always: value } : { member };
}

/** Returns the request for an event. Undefined when the event has no such member, or when its value is too long to be opened as one. */
function filled(template: Template, event: FeedEvent): ToOpen | undefined {
  const request = {} as { value: ToOpen['value']; [name: string]: string };
  for (const [name, from] of template) {
    const value: unknown = 'member' in from ? event[from.member as keyof FeedEvent] : from.always;
    if (typeof value !== 'string') return undefined;
    request[name] = value;
  }
  return request.value.length <= SEALED_CHARS ? (request as ToOpen) : undefined;
}
