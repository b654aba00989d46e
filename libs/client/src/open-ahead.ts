import { SEALED_CHARS, type FeedEvent, type Opened, type ToOpen } from '@cds/contracts';
import type { Opener } from './opener.ts';

/** How many events of a kind in a row must have had opened what was foreseen, before that is opened ahead for others of that kind. */
const TRUSTED_AFTER = 10;

/** Where a member of a request comes from: a member of the event, or it is always this. */
type Source = { member: string } | { always: unknown };
/** How a handler asks for a value of its event: the members of its request, in their order. */
type Template = readonly (readonly [name: string, from: Source])[];

interface Habit {
  templates: readonly Template[];
  /** Events in a row that did as the templates say. */
  kept: number;
}

/**
 * Opens the values of several events before their handlers ask, in one go: else each handler would wait for the decryptor in turn. Which
 * values, it has seen from the events before: a handler that opens `body` of ten messages in a row will open that of the next ones. Where a
 * handler does otherwise, nothing is opened ahead for its kind until it has kept to something else for as long.
 */
export class OpenAhead {
  private readonly habits = new Map<string, Habit>();

  constructor(private readonly opener: Pick<Opener, 'open'>) {}

  /** The values of an event: those that its handler is expected to ask for are asked for now. */
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
  /** When what was asked for ahead is there, or failed: who asks for it hears of that. */
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

  /** Whether anything was asked for ahead. */
  get isAhead(): boolean {
    return this.ahead.length > 0;
  }

  readonly open = (toOpen: ToOpen): Promise<Opened> => {
    this.asked.push(toOpen);
    return this.ahead.find(([request]) => isSame(request, toOpen))?.[1] ?? this.opener.open(toOpen);
  };

  /** The handler is done. */
  end(): void {
    this.habits.learn(this.event, this.asked);
  }
}

const SETTLED = Promise.resolve();
/** Whoever asks for the value hears of it. */
const unheard = () => undefined;

/** By the members of one, which are all text, and as many in the other. */
function isSame(foreseen: ToOpen, asked: ToOpen): boolean {
  const names = Object.keys(foreseen) as (keyof ToOpen)[];
  return names.length === Object.keys(asked).length && names.every((name) => foreseen[name] === asked[name]);
}

function isAsForeseen(templates: readonly Template[], event: FeedEvent, asked: readonly ToOpen[]): boolean {
  const foreseen = templates.flatMap((template) => filled(template, event) ?? []);
  return foreseen.length === asked.length && foreseen.every((request, nth) => isSame(request, asked[nth]!));
}

/** What of a request comes from the event. Nothing is foreseen where a value does not, or one is so long that it is not opened as one. */
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

/** Undefined where the event has no such member. */
function filled(template: Template, event: FeedEvent): ToOpen | undefined {
  const request = {} as { value: ToOpen['value']; [name: string]: string };
  for (const [name, from] of template) {
    const value: unknown = 'member' in from ? event[from.member as keyof FeedEvent] : from.always;
    if (typeof value !== 'string') return undefined;
    request[name] = value;
  }
  return request.value.length <= SEALED_CHARS ? (request as ToOpen) : undefined;
}
