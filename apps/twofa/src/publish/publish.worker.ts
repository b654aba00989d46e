import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CHALLENGE_COMPLETED, CHALLENGES_STREAM_DAYS } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { pauseUnlessFull, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, inSpan, LOG, read, SpanKind, storedTrace, type Log } from '@codase/runtime/telemetry';
import { ChallengesService } from '../challenges/challenges.service.ts';
import { ChallengesStore, type EndedLogin } from '../challenges/challenges.store.ts';
import { METRICS } from '../metrics.ts';
import { OutcomesService } from '../polling/outcomes.service.ts';
import { PublishHealth } from '@codase/runtime/service';

const BATCH = 100;
const SWEEP_MS = 1_000;
const LONGEST_PAUSE_MS = 10_000;
/** How long logins are kept: an asker reads its login within minutes, and a month is for looking into what went wrong. */
const KEPT_DAYS = 30;
const DAY_MS = 24 * 60 * 60_000;
/** How many days back lost outcomes are published again: an outcome that grew too old on the stream is not lost. */
const REPEATED_DAYS = CHALLENGES_STREAM_DAYS - 1;
const FORGET_AT_ONCE = 500;
const FORGET_EVERY_MS = 10 * 60_000;

/** Publishes outcomes on the stream, and wakes reads that wait here for an outcome which another replica found. */
@Injectable()
export class PublishWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Repeated[] = [];
  private isStreamWhole = false;

  constructor(
    private readonly bus: Bus,
    private readonly store: ChallengesStore,
    private readonly challenges: ChallengesService,
    private readonly outcomes: OutcomesService,
    private readonly health: PublishHealth,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    const publish = repeat(() => this.publishAll(), {
      name: 'publish_outcomes',
      pauseMs: pauseUnlessFull(BATCH, SWEEP_MS),
      backoff: { firstMs: SWEEP_MS, longestMs: LONGEST_PAUSE_MS },
      onFailure: (error) => this.failed(error),
    });
    this.outcomes.onOutcome = () => publish.wake();
    this.running = [
      publish,
      this.repeat('waiting_reads', SWEEP_MS, () => this.sweep()),
      this.repeat('old_logins', pauseUnlessFull(FORGET_AT_ONCE, FORGET_EVERY_MS), () => this.forget()),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
  }

  private repeat<T>(name: string, pauseMs: number | ((result: T) => number), work: () => Promise<T>): Repeated {
    return repeat(work, {
      name,
      pauseMs,
      onFailure: (error) => this.log.warn('logins cannot be read now', { 'codase.check': name, error }),
    });
  }

  /** Publishes the outcomes that wait. Returns how many there were. */
  private async publishAll(): Promise<number> {
    if (!this.isStreamWhole) await this.publishLost();
    this.isStreamWhole = true;
    const ended = await this.store.unpublished(BATCH);
    for (const login of ended)
      await inSpan('tell outcome', { kind: SpanKind.INTERNAL, parent: storedTrace(login.traceparent) }, () => this.publish(login));
    this.health.published();
    return ended.length;
  }

  /** Publishes lost outcomes again at each start, from the newest back: a stream that came back from an older copy lacks them. */
  private async publishLost(): Promise<void> {
    const since = new Date(this.clock.now().getTime() - REPEATED_DAYS * DAY_MS);
    for (let last: EndedLogin | undefined, isMore = true; isMore;) {
      const logins: EndedLogin[] = await this.store.publishedBefore(last?.id, since, BATCH);
      const wereLost = await Promise.all(logins.map((login) => this.publishOutcome(login)));
      const lost = wereLost.filter(Boolean).length;
      if (lost > 0) this.log.warn('outcomes that the stream had lost were published again', { 'codase.count': lost });
      last = logins.at(-1);
      isMore = lost > 0 && last !== undefined;
    }
  }

  /** Publishes an outcome. The subject holds one message at most, so that a repeat after a crash, however late, is no second outcome. */
  private publishOutcome({ service, challenge_id, state: status, completed_at }: EndedLogin): Promise<boolean> {
    const message = { challenge_id, status, completed_at: completed_at.toISOString() };
    return this.bus.publishOnce(CHALLENGE_COMPLETED, { service, challenge_id }, message);
  }

  private async publish(login: EndedLogin): Promise<void> {
    await this.publishOutcome(login);
    await this.store.published(login);
  }

  private failed(error: unknown): void {
    count(METRICS.publishFailed);
    this.health.failed(error);
    this.log.warn('outcomes wait in the table: they cannot be published now', { error });
  }

  private async sweep(): Promise<void> {
    read(METRICS.pending, await this.store.pending());
    const { waiting } = this.challenges;
    read(METRICS.readsWaiting, waiting.size);
    if (waiting.ids.length > 0) for (const id of await this.store.endedAmong(waiting.ids)) waiting.wake(id);
  }

  private forget(): Promise<number> {
    return this.store.forget(new Date(this.clock.now().getTime() - KEPT_DAYS * DAY_MS), FORGET_AT_ONCE);
  }
}
