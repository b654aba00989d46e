import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { runs, type RunStatus } from '@codase/contracts';
import { awaiting } from '@codase/domain';
import { repeat, type Repeated } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { METRICS } from '../metrics.ts';
import { SETTINGS, type Settings } from '../settings.ts';
import { RunsStore } from '../turns/runs.store.ts';
import { CheckWorker } from './check.worker.ts';
import { Platform } from './platform.service.ts';

const PAGE = 100;

/** Asks the platform which runs await the company, and has those looked at whose event was lost. Events are the quick way. @spec D2-6 */
@Injectable()
export class PollWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private running: Repeated[] = [];

  constructor(
    private readonly store: RunsStore,
    private readonly platform: Platform,
    private readonly worker: CheckWorker,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Polls each service in a loop of its own, so that a service that is refused holds up no other. */
  onApplicationBootstrap(): void {
    this.running = this.settings.names.map((service) =>
      repeat(() => this.poll(service), {
        name: 'poll_runs',
        pauseMs: this.settings.pollSeconds * 1000,
        onFailure: (error) => this.log.warn('runs cannot be listed now', { 'codase.service': service, error }),
      }),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
  }

  /** No event says that a run waits for its documents. Whose run it is, only a look at it shows. */
  async poll(service: string): Promise<void> {
    for (const party of this.settings.ownerParties(service)) await this.pollStatus(service, awaiting(party));
    await this.pollStatus(service, 'generating');
  }

  private async pollStatus(service: string, status: RunStatus): Promise<void> {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const query = { status, limit: PAGE, ...(cursor && { cursor }) };
      const page = await this.platform.of(service).ask(runs.listRuns, { query });
      const lost = await this.store.unknown(service, status, page.items);
      for (const flow_run_id of lost) await this.store.hear({ service, flow_run_id }, status, null);
      if (lost.length > 0) {
        count(METRICS.found, { 'codase.service': service }, lost.length);
        this.worker.wake();
      }
      cursor = page.next_cursor;
    }
  }
}
