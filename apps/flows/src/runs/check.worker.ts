import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { backoffMs, FairSemaphore, monotonic, repeat, type Repeated } from '@codase/runtime/resilience';
import { count, inSpan, LOG, SpanKind, storedTrace, type Log } from '@codase/runtime/telemetry';
import { GeneratingRuns } from '../generation/generating-runs.service.ts';
import { METRICS } from '../metrics.ts';
import type { KeptRun } from '../turns/kept-run.ts';
import { RunsStore } from '../turns/runs.store.ts';
import { isFaultOfTurn, keyOf, TurnsService } from '../turns/turns.service.ts';

/** How many runs are looked at together. They are few, so that requests of services do not wait long behind them at the gateway. */
const AT_ONCE = 8;
const ROUND_MS = 500;
const LAPSES_AT_ONCE = 100;
/**
 * How many turns are answered together by rules that ask plugins, and how many runs get their documents. One service gets half of them at
 * most. A plugin that hangs may take minutes, and so may long files: these runs do not count among those that are looked at, and a look
 * waits only a moment for a free slot.
 */
const AT_ONCE_BY_WORK = { 'answer by rule': 8, 'generate documents': 4 } as const;
const slotsOf = (total: number) => new FairSemaphore({ total, each: (free) => free, queuedEach: AT_ONCE, waitMs: 250 });
/** How soon a run is looked at again when there was no slot for it. */
const BUSY_MS = 5_000;
type LongWork = keyof typeof AT_ONCE_BY_WORK;
const RETRY = { firstMs: 1_000, longestMs: 5 * 60_000 };

/** Checks the runs that are due: after a new event, with answers on their way, before their documents, or not read for long. */
@Injectable()
export class CheckWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly underWay = new Set<Promise<void>>();
  /** The long work that is under way, by run: rules that ask plugins, and generations. */
  private readonly atWork = new Map<string, Promise<void>>();
  private readonly slots: Readonly<Record<LongWork, FairSemaphore>> = {
    'answer by rule': slotsOf(AT_ONCE_BY_WORK['answer by rule']),
    'generate documents': slotsOf(AT_ONCE_BY_WORK['generate documents']),
  };
  private running: Repeated | undefined;
  private releaseAt = 0;

  constructor(
    private readonly store: RunsStore,
    private readonly turns: TurnsService,
    private readonly generating: GeneratingRuns,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.running = repeat(() => this.round(), {
      name: 'look_at_runs',
      pauseMs: ROUND_MS,
      onFailure: (error) => this.log.error('runs cannot be checked now', { error }),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.running?.stop();
    await Promise.all(this.underWay);
    await Promise.all(this.atWork.values());
  }

  /** Begins the next round now, because a run is due. */
  wake(): void {
    this.running?.wake();
  }

  /** Begins to check runs that are due, up to `AT_ONCE`. It does not wait for them, so that one that hangs holds up no other. */
  private async round(): Promise<void> {
    await this.releaseLapsed();
    const free = AT_ONCE - this.underWay.size;
    const claimed = free > 0 ? await this.store.claim(free) : [];
    for (const run of claimed) this.begin(run);
  }

  /** Releases turns that were held for too long, at most once in `ROUND_MS`: events make rounds follow each other closely. */
  private async releaseLapsed(): Promise<void> {
    if (monotonic() < this.releaseAt) return;
    for (const turn of await this.store.lapsed(LAPSES_AT_ONCE)) await this.turns.releaseLapsed(turn);
    this.releaseAt = monotonic() + ROUND_MS;
  }

  private begin(run: KeptRun): void {
    const checked = this.worked('look at run', run, async () => {
      const name = run.state === 'generating' ? 'generate documents' : 'answer by rule';
      const work = await (run.state === 'generating' ? this.generating.check(run) : this.turns.check(run));
      if (work) await this.beginWork(run, name, work);
    }).finally(() => {
      this.underWay.delete(checked);
      if (this.underWay.size === AT_ONCE - 1) this.wake();
    });
    this.underWay.add(checked);
  }

  /** Begins long work on a run, and does not wait for it. When no slot is free, the run is looked at again soon. */
  private async beginWork(run: KeptRun, name: LongWork, work: () => Promise<void>): Promise<void> {
    const key = `${run.service} ${run.flow_run_id}`;
    if (this.atWork.has(key)) return;
    const release = await this.slots[name].acquire(run.service).catch(() => undefined);
    if (!release) return this.store.scheduleCheck(run, this.after(BUSY_MS));
    if (this.atWork.has(key)) return release();
    const working = this.worked(name, run, work).finally(() => {
      release();
      this.atWork.delete(key);
    });
    this.atWork.set(key, working);
  }

  /** Does work on a run, in the trace of the first event of the run. */
  private async worked(name: string, run: KeptRun, work: () => Promise<void>): Promise<void> {
    const facts = { 'codase.service': run.service };
    const options = { kind: SpanKind.INTERNAL, parent: storedTrace(run.traceparent), attributes: facts };
    try {
      await inSpan(name, options, () => work().catch((error: unknown) => this.failed(run, error)));
    } catch (error) {
      this.log.error('what was seen of a run could not be recorded', { ...facts, error });
    }
  }

  /** Postpones the look, because what failed may pass. Parks a turn that is itself at fault: it waits for an operator. */
  private async failed(run: KeptRun, error: unknown): Promise<void> {
    const key = keyOf(error);
    count(METRICS.checksFailed, { 'codase.service': run.service, 'codase.error_key': key });
    this.log.warn('a run could not be looked at', { 'codase.service': run.service, 'codase.error_key': key, error });
    if (key === 'flows.run_not_found') return this.store.forget(run);
    const now = await this.store.find(run); // the look may have begun the turn at which it failed
    if (now?.state === 'open' && isFaultOfTurn(key)) return this.turns.park(now, key);
    await this.store.postpone(run, this.after(backoffMs(RETRY, run.failures + 1)), key);
  }

  private after(ms: number): Date {
    return new Date(this.clock.now().getTime() + ms);
  }
}
