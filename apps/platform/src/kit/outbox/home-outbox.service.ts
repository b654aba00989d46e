import type { Clock } from '@codase/runtime/clock';
import { backoffMs, isTransient } from '@codase/runtime/resilience';
import { count, type Log, type Metric } from '@codase/runtime/telemetry';
import { PeriodicWorker, type Schedule } from '../workers/periodic-worker.service.ts';

/** How many events are claimed at once. */
const MAX = 100;
/** How long no other replica takes a claimed event, because the attempt may still be under way. */
const ATTEMPT_MS = 10_000;
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };
/** How often the outbox looks for events that are too old. That need not be often, because events are kept for hours. */
const GIVE_UP_EVERY_MS = 60_000;
/** How many home regions are remembered. The home of a user who has moved is asked for again. */
const MAX_HOMES = 10_000;

export interface OutgoingEvent {
  event_id: string;
  attempts: number;
}

/** The stored events of an outbox. */
export interface OutboxRows<E> {
  /** Takes events whose attempt is due, the oldest first. No other replica takes them before `until`. */
  claim(now: Date, until: Date, most: number): Promise<E[]>;
  remove(event_ids: readonly string[]): Promise<unknown>;
  postpone(event_ids: readonly string[], next_at: Date): Promise<unknown>;
  /** Deletes events that were made before a moment. Returns one row for each. */
  giveUp(before: Date): Promise<unknown[]>;
}

interface HomeOutboxOptions<E> {
  rows: OutboxRows<E>;
  userOf(event: E): string;
  /** Returns the home region of a user; undefined when the user does not exist any more. */
  regionOf(user_id: string): Promise<string | undefined>;
  /** Hands events to a region. Returns the ids of those whose user is not at home there. */
  send(region: string, events: readonly E[]): Promise<{ elsewhere: readonly string[] }>;
  /** How long an event is of use. */
  keptMs: number;
  postponed: Metric<'counter'>;
  givenUp: Metric<'counter'>;
  /** The texts of log lines. Both are constants. */
  says: { postponed: string; givenUp: string };
  /** When rounds are made; absent for an outbox whose rounds another worker makes. */
  rounds?: Schedule & { isPaused(): boolean };
}

/**
 * Hands events to the home regions of their users. An event may arrive twice when an answer was lost, so the region that stores it
 * recognises it by its id. Events of one user may overtake each other when one of them had to wait. @gap D1-1
 */
export abstract class HomeOutbox<E extends OutgoingEvent> extends PeriodicWorker {
  private readonly homes = new Map<string, string>();
  private givesUpNext = 0;

  constructor(
    private readonly options: HomeOutboxOptions<E>,
    private readonly clock: Clock,
    log: Log,
  ) {
    super(options.rounds, log);
  }

  /** Hands over all events that are due, and gives up those that are too old. Returns whether any was due. */
  async round(): Promise<boolean> {
    if (this.options.rounds?.isPaused()) return false;
    let handed = await this.handOver();
    const wasDue = handed > 0;
    while (handed === MAX) handed = await this.handOver();
    await this.giveUpOld();
    return wasDue;
  }

  /** Hands over events that are due, at most one batch. Returns how many were due. */
  async handOver(): Promise<number> {
    const now = this.clock.now();
    const events = await this.options.rows.claim(now, new Date(now.getTime() + ATTEMPT_MS), MAX);
    await Promise.all([...(await this.byRegion(events))].map(([region, some]) => this.handTo(region, some)));
    return events.length;
  }

  /** Deletes events that no region took in the time for which they are kept: they are of no use any more. */
  async giveUpOld(): Promise<void> {
    const { rows, keptMs, givenUp, says } = this.options;
    const now = this.clock.now().getTime();
    if (now < this.givesUpNext) return;
    const given = await rows.giveUp(new Date(now - keptMs));
    this.givesUpNext = now + GIVE_UP_EVERY_MS;
    if (given.length === 0) return;
    count(givenUp, {}, given.length);
    this.log.error(says.givenUp, { 'codase.count': given.length });
  }

  private async byRegion(events: readonly E[]): Promise<ReadonlyMap<string, E[]>> {
    const regions = new Map<string, E[]>();
    const deliver = async (event: E) => {
      const region = await this.regionOf(this.options.userOf(event));
      if (region === undefined) return this.options.rows.remove([event.event_id]);
      regions.set(region, [...(regions.get(region) ?? []), event]);
    };
    await Promise.all(events.map((event) => deliver(event).catch((error: unknown) => this.postpone([event], error))));
    return regions;
  }

  private async regionOf(user_id: string): Promise<string | undefined> {
    const known = this.homes.get(user_id);
    if (known !== undefined) return known;
    const region = await this.options.regionOf(user_id);
    if (region === undefined) return undefined;
    if (this.homes.size >= MAX_HOMES) this.homes.delete(this.homes.keys().next().value!);
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

  /** Hands events over one by one, so that one that the region refuses, such as one of a new kind, does not hold up the others. */
  private async handEachTo(region: string, events: readonly E[]): Promise<void> {
    for (const event of events) await this.handTo(region, [event]);
  }

  private async postpone(events: readonly E[], error?: unknown): Promise<void> {
    const { rows, userOf, postponed, says } = this.options;
    for (const event of events) this.homes.delete(userOf(event));
    count(postponed, {}, events.length);
    this.log.warn(says.postponed, { 'codase.count': events.length, ...(error !== undefined && { error }) });
    const pause = backoffMs(BACKOFF, Math.max(...events.map(({ attempts }) => attempts)));
    await rows.postpone(idsOf(events), new Date(this.clock.now().getTime() + pause));
  }
}

const idsOf = (events: readonly OutgoingEvent[]): string[] => events.map(({ event_id }) => event_id);
