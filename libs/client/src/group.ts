import { EVENT_ID_HEADER, FEED, groupConsumer, PARTITIONS, RECONCILED_HEADER, RESENT_HEADER, type FeedEvent } from '@codase/contracts';
import { DurableConsumer, type BatchItem, type Bus, type Delivery } from '@codase/runtime/bus';
import type { Clock } from '@codase/runtime/clock';
import { count, countFromZero, describeError, measure, read, type Log } from '@codase/runtime/telemetry';
import { byKind, type AnyHandler, type Handlers, type Taken } from './handlers.ts';
import type { Inbox } from './inbox.ts';
import { OpenedEvent } from './open-ahead.ts';
import type { Opener } from './opener.ts';
import { METRICS } from './metrics.ts';

/** Timeouts and retries of a group; the defaults suit most. */
export interface GroupOptions {
  /** Pauses before each further attempt of a handler that threw. After the last attempt the event is parked. */
  backoffMs?: readonly number[];
  /** Pauses before an event is delivered again that could not be handled because something it needs cannot be reached. */
  postponeMs?: readonly number[];
  /** How long the bus waits for a sign of life from this process before it hands the event to a replica. */
  ackWaitMs?: number;
  /** How long a handler may take; five minutes when absent. Then its event is delivered again, and parked when that fails too. */
  handleMs?: number;
  /**
   * How many events of one partition share a transaction at most, when so many wait: 50 for a new group. A group that an earlier release
   * began handles its events one by one until this is given. With several replicas, change it in two steps: first 1 for all of them, then
   * 50.
   */
  batch?: number;
}

/** Handlers that run until they are stopped. */
export interface Group {
  /** Whether the group receives events as soon as there are some; false when it was stopped. */
  readonly isSubscribed: boolean;
  /** Takes no more events, and waits for those that are being handled. */
  stop(): Promise<void>;
}

/** What a group needs to run. */
interface GroupParts {
  bus: Bus;
  user: string;
  service: string;
  opener: Opener;
  clock: Clock;
  log: Log;
}

interface Labels {
  'messaging.consumer.group.name': string;
  'codase.service': string;
}

/** The largest batch: even when events are as long as they may be, one process can hold a batch of every partition. */
const MAX_AT_ONCE = 500;
const isBatch = (batch: number) => Number.isInteger(batch) && batch >= 1 && batch <= MAX_AT_ONCE;
/** How often the age of the oldest event is measured. */
const AGE_EVERY_MS = 5000;

interface NewGroup<Tx> {
  name: string;
  inbox: Inbox<Tx>;
  handlers: Handlers<Tx>;
  options?: GroupOptions | undefined;
}

/** Starts a consumer for each partition: a person's events keep their order, and partitions do not wait for each other. */
export async function startGroup<Tx>(parts: GroupParts, { name, inbox, handlers, options = {} }: NewGroup<Tx>): Promise<RunningGroup> {
  const { bus, user, service, log } = parts;
  const { batch, ...timing } = options;
  if (batch !== undefined && !isBatch(batch)) throw new RangeError(`batch: must be a whole number from 1 to ${MAX_AT_ONCE}`);
  const handling = new HandledGroup(parts, `${user}_${name}`, inbox, byKind(handlers));
  await inbox.prepare?.();
  const started = await Promise.allSettled(
    PARTITIONS.map((partition) => {
      const consumer = { as: groupConsumer(user, name, partition), only: { service, partition }, skips: handling.skips, ...timing };
      const batches = handling.takesBatches ? { most: batch, prepare: handling.prepare, handle: handling.takeAll } : undefined;
      return DurableConsumer.start(bus, FEED, consumer, { handle: handling.take, batches }, log);
    }),
  );
  const consumers = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const group = new RunningGroup(name, consumers, handling.labels);
  const failed = started.find((result) => result.status === 'rejected');
  if (!failed) return group;
  await group.stop();
  throw failed.reason;
}

/** The part of a consumer that its group uses. */
type PartitionConsumer = Pick<DurableConsumer<never, never>, 'isSubscribed' | 'oldestMs' | 'stop'>;

/** The consumers of a group, taken together. */
export class RunningGroup implements Group {
  isStopped = false;
  private readonly ageing: NodeJS.Timeout;

  constructor(
    readonly name: string,
    private readonly consumers: readonly PartitionConsumer[],
    labels: Labels,
  ) {
    this.ageing = setInterval(() => read(METRICS.groupAge, this.oldestMs / 1000, labels), AGE_EVERY_MS).unref();
  }

  /** How long the oldest event has waited that was handed to this process. The time grows while the group is stuck. */
  private get oldestMs(): number {
    return Math.max(0, ...this.consumers.map(({ oldestMs }) => oldestMs));
  }

  get isSubscribed(): boolean {
    return !this.isStopped && this.consumers.every(({ isSubscribed }) => isSubscribed);
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.ageing);
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }
}

type Item = Pick<BatchItem<never, typeof FEED.message>, 'message' | 'delivery' | 'start'>;
type Taking = Pick<Item, 'message' | 'delivery'> & { opened: OpenedEvent };

function takenOf<Tx>(tx: Tx, { message, opened, delivery }: Taking): Taken<FeedEvent, Tx> {
  return {
    event: message,
    tx,
    open: opened.open,
    message_id: delivery.id,
    event_id: delivery.header(EVENT_ID_HEADER) ?? message.id,
    resent: delivery.header(RESENT_HEADER) !== undefined,
    reconciled: delivery.header(RECONCILED_HEADER) !== undefined,
    attempt: delivery.attempt,
    signal: delivery.signal,
  };
}

/** Runs the work in the span of the first event. The spans of the other events last as long. */
async function inSpansOf(items: readonly Pick<Item, 'start'>[], work: () => Promise<void>): Promise<void> {
  const spans = items.map(({ start }) => start());
  try {
    await spans[0]!.within(work);
  } catch (error) {
    for (const span of spans) span.fail(error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
}

/** Hands events to their handlers, within the inbox, and counts them. */
class HandledGroup<Tx> {
  readonly labels: Labels;
  /** The values of events that were delivered and are not handled yet. */
  private readonly prepared = new WeakMap<FeedEvent, OpenedEvent>();

  constructor(
    private readonly parts: GroupParts,
    private readonly name: string,
    private readonly inbox: Inbox<Tx>,
    private readonly handlers: ReadonlyMap<string, AnyHandler<Tx>>,
  ) {
    this.labels = { 'messaging.consumer.group.name': name, 'codase.service': parts.service };
    for (const metric of [METRICS.handled, METRICS.handledBefore]) countFromZero(metric, this.labels);
  }

  /** Skips kinds without a handler. They include kinds that a later platform sends and this release does not know. */
  readonly skips = ({ event }: { event: string }): boolean => !this.handlers.has(event);

  /** Whether the inbox can note several events in one transaction. */
  get takesBatches(): boolean {
    return this.inbox.onceAll !== undefined;
  }

  /** Opens the declared values of an event when it is delivered: that has no effect, so it need not wait for earlier events. */
  readonly prepare = (event: FeedEvent): void => {
    const opened = this.opens(event);
    if (opened.isAhead) this.prepared.set(event, opened);
  };

  private openedOf(event: FeedEvent): OpenedEvent {
    return this.prepared.get(event) ?? this.opens(event);
  }

  private opens(event: FeedEvent): OpenedEvent {
    return OpenedEvent.of(this.parts.opener, event, this.handlers.get(event.event));
  }

  readonly take = async (event: FeedEvent, _values: unknown, delivery: Delivery): Promise<void> => {
    this.measureLag(delivery, this.parts.clock.now());
    const taking = { message: event, delivery, opened: this.openedOf(event) };
    const isNew = await this.counted(() =>
      this.inbox.once({ consumer: this.name, message_id: delivery.id }, (tx) => this.handle(tx, [taking])),
    );
    count(isNew ? METRICS.handled : METRICS.handledBefore, this.labels);
  };

  /** Handles events in order until it is time to end, at least one; their values are opened before. Returns how many it handled. */
  readonly takeAll = async (items: readonly Item[], isTimeToEnd: () => boolean): Promise<number> => {
    const takenAt = this.parts.clock.now();
    const opened = items.map(({ message }) => this.openedOf(message));
    for (const { settled } of opened) await settled;
    for (const { delivery } of items) this.measureLag(delivery, takenAt);
    const ids = items.map(({ delivery }) => delivery.id);
    const portions = this.portionsOf(items.map((item, nth) => ({ ...item, opened: opened[nth]! })));
    let [handled, handledNew] = [0, 0];
    const handleEach = async (tx: Tx, isNew: ReadonlySet<string>) => {
      const waiting = new Set(isNew); // the same message may be there twice
      for (const portion of portions) {
        if (handled > 0 && isTimeToEnd()) break;
        const fresh = portion.filter(({ delivery }) => waiting.delete(delivery.id));
        handled += portion.length;
        handledNew += fresh.length;
        if (fresh.length > 0) await inSpansOf(fresh, () => this.handle(tx, fresh));
      }
      return handled;
    };
    await this.inbox.onceAll!(this.name, ids, (tx, isNew) => this.counted(() => handleEach(tx, isNew)));
    count(METRICS.handled, this.labels, handledNew);
    count(METRICS.handledBefore, this.labels, handled - handledNew);
    return handled;
  };

  /** Groups consecutive events of one kind when the handler of that kind takes them together. Every other event is a portion of its own. */
  private portionsOf<I extends Pick<Item, 'message'>>(items: readonly I[]): I[][] {
    const portions: I[][] = [];
    for (const item of items) {
      const { event } = item.message;
      const last = portions.at(-1);
      if (last?.[0]!.message.event === event && !this.handlers.get(event)!.takesOne) last.push(item);
      else portions.push([item]);
    }
    return portions;
  }

  /** Calls the handler with events of one kind. */
  private async handle(tx: Tx, items: readonly Taking[]): Promise<void> {
    const taken = items.map((item) => takenOf(tx, item));
    await this.handlers.get(items[0]!.message.event)?.together(taken, tx);
  }

  private async counted<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      count(METRICS.handlingFailed, { ...this.labels, 'error.type': describeError(error)['error.type'] });
      throw error;
    }
  }

  /** Measures how old an event is at its first attempt. An event that is sent again is not measured, since it is old by intent. */
  private measureLag(delivery: Delivery, takenAt: Date): void {
    if (delivery.attempt > 1 || delivery.header(RESENT_HEADER) !== undefined) return;
    const lag = takenAt.getTime() - Date.parse(delivery.header('ce-time') ?? '');
    if (!Number.isNaN(lag)) measure(METRICS.handledLag, Math.max(0, lag) / 1000, this.labels);
  }
}
