import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../../kit/workers/periodic-worker.service.ts';
import { SignUpService } from './sign-up.service.ts';
import { SignUpStore, type PendingProfile } from './sign-up.store.ts';

/** Longer than a sign-up can take: a younger profile may belong to a sign-up that is still under way. */
const LEFT_OVER_MS = 30_000;
const EVERY_MS = 5_000;
const AT_ONCE = 100;

/** Hands over profiles that a front door left behind when it died in the middle of a sign-up. */
@Injectable()
export class HandOverWorker extends PeriodicWorker {
  constructor(
    private readonly signUps: SignUpService,
    private readonly store: SignUpStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'hand_over', everyMs: EVERY_MS, failure: 'profiles that wait could not be read' }, log);
  }

  async round(): Promise<void> {
    const since = new Date(this.clock.now().getTime() - LEFT_OVER_MS);
    for (const pending of await this.store.waiting(since, AT_ONCE)) await this.handOver(pending);
  }

  /** Only logs a failure: the region is asked again in the next round, and does not hold up the other regions. */
  private async handOver(pending: PendingProfile): Promise<void> {
    await this.signUps.handOver(pending).catch((error: unknown) => {
      this.log.warn('a profile waits to be handed over', { 'codase.region': pending.region, error });
    });
  }
}
