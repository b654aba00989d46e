import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { TURN_EVENT } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { pauseUnlessFull, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, inSpan, LOG, read, SpanKind, storedTrace, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { Platform } from '../runs/platform.service.ts';
import { SETTINGS, type Settings } from '../settings.ts';
import { StartsStore } from '../starts/starts.store.ts';
import { RunsStore } from '../turns/runs.store.ts';
import { TurnEventsStore } from '../turns/turn-events.store.ts';
import { TurnsService } from '../turns/turns.service.ts';
import { PublishHealth } from '@codase/runtime/service';

const BATCH = 100;
const SWEEP_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
const COUNT_EVERY_MS = 15_000;
const LEARN_EVERY_MS = 30_000;
const FORGET_EVERY_MS = 10 * 60_000;
const FORGET_AT_ONCE = 500;
/** How long ended runs are kept: a month, for finding out what went wrong. Other questions about them are for the platform. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;

/** Publishes events of turns that wait for too long, by the clock, and of turns that were parked. */
@Injectable()
export class DeadlinesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Repeated[] = [];
  /** Services whose settings name flows by names that were not read yet. */
  private readonly unnamed = new Set<string>();

  constructor(
    private readonly bus: Bus,
    private readonly store: RunsStore,
    private readonly events: TurnEventsStore,
    private readonly starts: StartsStore,
    private readonly turns: TurnsService,
    private readonly platform: Platform,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly health: PublishHealth,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const publish = repeat(() => this.publish(), {
      name: 'publish_turn_events',
      pauseMs: pauseUnlessFull(BATCH, SWEEP_MS),
      backoff: { firstMs: SWEEP_MS, longestMs: LONGEST_PAUSE_MS },
      onFailure: (error) => this.failed(error),
    });
    this.running = [
      publish,
      this.repeat('turn_deadlines', SWEEP_MS, () => this.sweep()),
      this.repeat('turn_counts', COUNT_EVERY_MS, () => this.readCounts()),
      this.repeat('old_runs', pauseToForget, () => this.store.forgetEnded(this.forgetBefore(), FORGET_AT_ONCE)),
      this.repeat('old_starts', pauseToForget, () => this.starts.forget(this.forgetBefore(), FORGET_AT_ONCE)),
      ...this.settings.names.filter((service) => this.settings.namesFlows(service)).map((service) => this.learnNames(service)),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
  }

  private repeat<T>(name: string, pauseMs: number | ((result: T) => number), work: () => Promise<T>): Repeated {
    return repeat(work, {
      name,
      pauseMs,
      onFailure: (error) => this.log.warn('turns cannot be read now', { 'codase.check': name, error }),
    });
  }

  /** Reads the names of flows, for each service in a loop of its own, so that a service that is refused holds up no other. */
  private learnNames(service: string): Repeated {
    this.unnamed.add(service);
    const learn = () => this.platform.learnNames(service).then(() => void this.unnamed.delete(service));
    return repeat(learn, {
      name: 'flow_names',
      pauseMs: LEARN_EVERY_MS,
      backoff: { firstMs: SWEEP_MS, longestMs: LEARN_EVERY_MS },
      onFailure: (error) => this.log.warn('the names of flows cannot be read now', { 'codase.service': service, error }),
    });
  }

  /** Publishes waiting events and returns how many. A subject holds at most one message, so a repeat after a crash is no second event. */
  private async publish(): Promise<number> {
    const events = await this.events.unpublished(BATCH);
    for (const { id, service, event, turn, message, traceparent } of events)
      await inSpan('tell of turn', { kind: SpanKind.INTERNAL, parent: storedTrace(traceparent) }, async () => {
        await this.bus.publishOnce(TURN_EVENT, { service, event, turn }, message);
        await this.events.published(id);
      });
    this.health.published();
    return events.length;
  }

  private failed(error: unknown): void {
    this.health.failed(error);
    this.log.warn('events of turns wait in the table: they cannot be published now', { error });
  }

  private async sweep(): Promise<void> {
    this.turns.forgetEnded();
    for (const { service } of await this.events.tellOverdue(BATCH)) count(METRICS.overdue, { 'codase.service': service });
    read(METRICS.takersWaiting, this.turns.waiting.size);
    // Requests that wait here are not woken by a turn that another replica heard of, or that becomes due by the clock.
    for (const service of this.turns.waiting.ids) if (await this.store.hasOpen(service)) this.turns.waiting.wake(service);
    // The reminders of a flow may be set under its name. Until it is known, no next reminder could be set.
    await this.events.remind(BATCH, { except: [...this.unnamed] });
  }

  private async readCounts(): Promise<void> {
    const counts = await this.store.counts();
    for (const state of ['watched', 'open', 'taken', 'answered', 'generating', 'parked'] as const)
      read(METRICS.turns, counts.find((one) => one.state === state)?.count ?? 0, { 'codase.state': state });
    const turns = counts.filter(({ state }) => state !== 'watched');
    read(
      METRICS.failing,
      turns.filter(({ state }) => state !== 'parked').reduce((sum, { failing }) => sum + failing, 0),
    );
    const waiting = turns.flatMap(({ oldest }) => (oldest ? [oldest.getTime()] : []));
    read(METRICS.oldestTurn, waiting.length > 0 ? (this.clock.now().getTime() - Math.min(...waiting)) / 1000 : 0);
  }

  private forgetBefore(): Date {
    return new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MS);
  }
}

const pauseToForget = pauseUnlessFull(FORGET_AT_ONCE, FORGET_EVERY_MS);
