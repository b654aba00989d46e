import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Run } from '@codase/contracts';
import { isTransient, repeat } from '@codase/runtime/resilience';
import { LOG, timed, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { Platform } from '../runs/platform.service.ts';
import type { KeptRun } from '../turns/kept-run.ts';
import { RunsStore } from '../turns/runs.store.ts';
import { TurnsService } from '../turns/turns.service.ts';
import { GenerationService } from './generation.service.ts';

/** How often the claim of a run is renewed while its documents are generated: three times before it would end. */
const RENEW_MS = 20_000;

/** Takes the runs in which the company answered the last step to their documents. @spec D2-1.6 @spec D2-3 */
@Injectable()
export class GeneratingRuns {
  constructor(
    private readonly store: RunsStore,
    private readonly platform: Platform,
    private readonly turns: TurnsService,
    private readonly generation: GenerationService,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Reads a claimed run. If it still waits for its documents, returns the function that has them generated, which may take long. */
  async check(kept: KeptRun): Promise<(() => Promise<void>) | undefined> {
    const run = await this.platform.of(kept.service).readRun(kept.flow_run_id);
    const { run: now } = await this.turns.settle(kept, run);
    return now.state === 'generating' ? () => this.generate(now, run) : undefined;
  }

  /** Generates, and reads what has become of the run. Parks it when it was refused and still waits, for an operator. @spec D2-3 */
  private async generate(kept: KeptRun, run: Run): Promise<void> {
    const refusal = await this.attempt(kept, run);
    const { run: now } = await this.turns.settle(kept, await this.platform.of(kept.service).readRun(kept.flow_run_id));
    if (refusal && now.state === 'generating') await this.turns.park(now, refusal.key);
  }

  /** Generates while no other replica does. Returns the refusal that no repeat changes, and throws what may pass. */
  private async attempt(kept: KeptRun, run: Run): Promise<Refusal | undefined> {
    const facts = { 'codase.service': kept.service };
    const claim = repeat(() => this.store.keepClaim(kept), {
      name: 'keep_generating_run',
      pauseMs: RENEW_MS,
      onFailure: (error) => this.log.warn('the claim of a run cannot be renewed now', { ...facts, error }),
    });
    try {
      await claim.first;
      await measured(() => this.generation.generate(kept.service, run));
      return undefined;
    } catch (error) {
      if (error instanceof Refusal && !isTransient(error)) return error;
      throw error;
    } finally {
      await claim.stop();
    }
  }
}

/** Measures the time of a generation, by how it ended. */
async function measured(work: () => Promise<void>): Promise<void> {
  const startedAt = performance.now();
  try {
    await work();
    timed(METRICS.generations, startedAt, { 'codase.outcome': 'generated' });
  } catch (error) {
    timed(METRICS.generations, startedAt, { 'codase.outcome': error instanceof Refusal ? error.key : 'failed' });
    throw error;
  }
}
