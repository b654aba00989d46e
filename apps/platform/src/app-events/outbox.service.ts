import { Inject, Injectable } from '@nestjs/common';
import { APP_EVENT_SUBJECTS } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { backoffMs, isTransient } from '@cds/runtime/resilience';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { REGION_DB } from '../databases.ts';
import { Home } from '../regions/index.ts';
import { METRICS } from './metrics.ts';
import { claimOutgoing, giveUpOutgoing, postponeOutgoing, removeOutgoing, type OutgoingEvent } from './outbox.store.ts';
import { KEPT_MS } from './retention.worker.ts';

/** Events of one round. */
const MOST = 100;
/** Nobody else takes an event while this attempt may still be under way. */
const ATTEMPT_MS = 10_000;
const BACKOFF = { firstMs: 1000, longestMs: 60_000 };
/** Homes that are remembered; a person who has moved is asked for anew. */
const MOST_HOMES = 10_000;

/**
 * Hands events to the home regions of their persons. An event may arrive twice, after an answer was lost: it is stored once. Events of one
 * person may overtake each other where one had to wait; what a phone gets is read when it is sent. @gap D1-1
 */
@Injectable()
export class AppEventOutbox {
  private readonly homes = new Map<string, string>();

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Hands over what is due. Answers whether more may be due. */
  async handOver(): Promise<boolean> {
    const now = this.clock.now();
    const events = await claimOutgoing(this.db, now, new Date(now.getTime() + ATTEMPT_MS), MOST);
    await Promise.all([...(await this.byRegion(events))].map(([region, some]) => this.handTo(region, some)));
    return events.length === MOST;
  }

  /** What nobody took in the time that events are kept is of no use any more. */
  async giveUpOld(): Promise<void> {
    const given = await giveUpOutgoing(this.db, new Date(this.clock.now().getTime() - KEPT_MS));
    if (given.length === 0) return;
    count(METRICS.appEventsGivenUp, {}, given.length);
    this.log.error('events for phones are given up: their region took them at no time', { 'cds.count': given.length });
  }

  private async byRegion(events: readonly OutgoingEvent[]): Promise<ReadonlyMap<string, OutgoingEvent[]>> {
    const regions = new Map<string, OutgoingEvent[]>();
    const place = async (event: OutgoingEvent) => {
      const region = await this.regionOf(event.person_user_id);
      if (region === undefined) return removeOutgoing(this.db, [event.event_id]);
      regions.set(region, [...(regions.get(region) ?? []), event]);
    };
    await Promise.all(events.map((event) => place(event).catch((error: unknown) => this.postpone([event], error))));
    return regions;
  }

  /** Undefined for who is no user any more. */
  private async regionOf(person_user_id: string): Promise<string | undefined> {
    const known = this.homes.get(person_user_id);
    if (known !== undefined) return known;
    const region = await this.home.regionOf(person_user_id);
    if (region === undefined) return undefined;
    if (this.homes.size >= MOST_HOMES) this.homes.delete(this.homes.keys().next().value!);
    this.homes.set(person_user_id, region);
    return region;
  }

  private async handTo(region: string, events: readonly OutgoingEvent[]): Promise<void> {
    try {
      const { elsewhere } = await this.bus.request(APP_EVENT_SUBJECTS.store, { region }, { events: events.map(referenceOf) });
      const taken = events.filter(({ event_id }) => !elsewhere.includes(event_id));
      await removeOutgoing(
        this.db,
        taken.map(({ event_id }) => event_id),
      );
      if (taken.length < events.length) await this.postpone(events.filter((event) => !taken.includes(event)));
    } catch (error) {
      if (events.length > 1 && !isTransient(error)) await this.handEachTo(region, events);
      else await this.postpone(events, error);
    }
  }

  /** One that a region refuses, as a kind that is too new for it, keeps no other waiting. */
  private async handEachTo(region: string, events: readonly OutgoingEvent[]): Promise<void> {
    for (const event of events) await this.handTo(region, [event]);
  }

  private async postpone(events: readonly OutgoingEvent[], error?: unknown): Promise<void> {
    for (const { person_user_id } of events) this.homes.delete(person_user_id);
    count(METRICS.appEventsPostponed, {}, events.length);
    this.log.warn('events for phones wait for another region', { 'cds.count': events.length, ...(error !== undefined && { error }) });
    const pause = backoffMs(BACKOFF, Math.max(...events.map(({ attempts }) => attempts)));
    await postponeOutgoing(
      this.db,
      events.map(({ event_id }) => event_id),
      new Date(this.clock.now().getTime() + pause),
    );
  }
}

const referenceOf = ({ event_id, person_user_id, company_user_id, kind, object_id, created_at, traceparent }: OutgoingEvent) => ({
  event_id,
  person_user_id,
  company_user_id,
  kind,
  object_id,
  created_at: created_at.toISOString(),
  traceparent,
});
