import type { Clock } from '@cds/runtime/clock';
import { backoffMs, isTransient } from '@cds/runtime/resilience';
import { count, type Log, type Metric } from '@cds/runtime/telemetry';

/** Events of one round. */
const MOST = 100;
/** Nobody else takes an event while this attempt may still be under way. */
const ATTEMPT_MS = 10_000;
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };
/** How often it looks for events that are of no use any more: they were kept for hours. */
const GIVE_UP_EVERY_MS = 60_000;
/** Homes that are remembered; a user who has moved is asked for anew. */
const MOST_HOMES = 10_000;

export interface OutgoingEvent {
  event_id: string;
  attempts: number;
}

/** Where the events of an outbox wait. */
export interface OutboxRows<E> {
  /** Takes events whose attempt is due, the oldest first. No other replica takes them before `until`. */
  claim(now: Date, until: Date, most: number): Promise<E[]>;
  remove(event_ids: readonly string[]): Promise<unknown>;
  postpone(event_ids: readonly string[], next_at: Date): Promise<unknown>;
  /** Deletes events that were made before a moment. Answers one row for each. */
  giveUp(before: Date): Promise<unknown[]>;
}

export interface HomeOutboxOptions<E> {
  rows: OutboxRows<E>;
  userOf(event: E): string;
  /** Undefined for who is no user any more. */
  regionOf(user_id: string): Promise<string | undefined>;
  /** Hands events to a region. Answers those whose user is not at home there. */
  send(region: string, events: readonly E[]): Promise<{ elsewhere: readonly string[] }>;
  /** How long an event is of use. */
  keptMs: number;
  postponed: Metric<'counter'>;
  givenUp: Metric<'counter'>;
  /** What the log says, constants both. */
  says: { postponed: string; givenUp: string };
}

/**
 * Hands events to the home regions of their users. An event may arrive twice, after an answer was lost: whoever stores it knows it by its
 * id. Events of one user may overtake each other where one had to wait. @gap D1-1
 */
export abstract class HomeOutbox<E extends OutgoingEvent> {
  private readonly homes = new Map<string, string>();
  private givesUpNext = 0;

  constructor(
    private readonly options: HomeOutboxOptions<E>,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Hands over all that is due, and gives up what is of no use any more. Answers whether any was due. */
  async round(): Promise<boolean> {
    let handed = await this.handOver();
    const wasDue = handed > 0;
    while (handed === MOST) handed = await this.handOver();
    await this.giveUpOld();
    return wasDue;
  }

  /** Hands over what is due, as much as a round takes at once. Answers how many that were. */
  async handOver(): Promise<number> {
    const now = this.clock.now();
    const events = await this.options.rows.claim(now, new Date(now.getTime() + ATTEMPT_MS), MOST);
    await Promise.all([...(await this.byRegion(events))].map(([region, some]) => this.handTo(region, some)));
    return events.length;
  }

  /** What nobody took in the time that events are kept is of no use any more. */
  async giveUpOld(): Promise<void> {
    const { rows, keptMs, givenUp, says } = this.options;
    const now = this.clock.now().getTime();
    if (now < this.givesUpNext) return;
    const given = await rows.giveUp(new Date(now - keptMs));
    this.givesUpNext = now + GIVE_UP_EVERY_MS;
    if (given.length === 0) return;
    count(givenUp, {}, given.length);
    this.log.error(says.givenUp, { 'cds.count': given.length });
  }

  private async byRegion(events: readonly E[]): Promise<ReadonlyMap<string, E[]>> {
    const regions = new Map<string, E[]>();
    const place = async (event: E) => {
      const region = await this.regionOf(this.options.userOf(event));
      if (region === undefined) return this.options.rows.remove([event.event_id]);
      regions.set(region, [...(regions.get(region) ?? []), event]);
    };
    await Promise.all(events.map((event) => place(event).catch((error: unknown) => this.postpone([event], error))));
    return regions;
  }

  private async regionOf(user_id: string): Promise<string | undefined> {
    const known = this.homes.get(user_id);
    if (known !== undefined) return known;
    const region = await this.options.regionOf(user_id);
    if (region === undefined) return undefined;
    if (this.homes.size >= MOST_HOMES) this.homes.delete(this.homes.keys().next().value!);
    this.homes.set(user_id, region);
    return region;
  }

  private async handTo(region: string, events: readonly E[]): Promise<void> {
    try {
      const { elsewhere } = await this.options.send(region, events);
      const taken = events.filter(({ event_id }) => !elsewhere.includes(event_id));
      await this.options.rows.remove(idsOf(taken));
      if (taken.length < events.length) await this.postpone(events.filter((event) => !taken.includes(event)));
    } catch (error) {
      if (events.length > 1 && !isTransient(error)) await this.handEachTo(region, events);
      else await this.postpone(events, error);
    }
  }

  /** One that a region refuses, as a kind that is too new for it, keeps no other waiting. */
  private async handEachTo(region: string, events: readonly E[]): Promise<void> {
    for (const event of events) await this.handTo(region, [event]);
  }

  private async postpone(events: readonly E[], error?: unknown): Promise<void> {
    const { rows, userOf, postponed, says } = this.options;
    for (const event of events) this.homes.delete(userOf(event));
    count(postponed, {}, events.length);
    this.log.warn(says.postponed, { 'cds.count': events.length, ...(error !== undefined && { error }) });
    const pause = backoffMs(BACKOFF, Math.max(...events.map(({ attempts }) => attempts)));
    await rows.postpone(idsOf(events), new Date(this.clock.now().getTime() + pause));
  }
}

const idsOf = (events: readonly OutgoingEvent[]): string[] => events.map(({ event_id }) => event_id);
