import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { PeriodicWorker } from '../../../kit/workers/periodic-worker.service.ts';
import { SignUpStore } from '../sign-up/sign-up.store.ts';
import { PasswordAttemptsStore } from './password-attempts.store.ts';

const EVERY_MS = 60_000;
const BATCH = 1000;
/** How many sign-ups wait for their code at once, of all sources. More are a flood, and the oldest of them go. @gap D1-5 */
const MAX_SIGN_UPS = 100_000;

/** Deletes expired failures and sign-in addresses, and unconfirmed sign-ups. Replicas skip rows that another one is deleting. */
@Injectable()
export class ExpiredAttempts extends PeriodicWorker {
  constructor(
    private readonly attempts: PasswordAttemptsStore,
    private readonly signUps: SignUpStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'expired_password_attempts', everyMs: EVERY_MS, failure: 'old password failures could not be deleted' }, log);
  }

  async round(): Promise<void> {
    const now = this.clock.now();
    await this.attempts.deleteExpired(now, BATCH);
    await this.signUps.deleteExpired(now, BATCH);
    await this.signUps.deleteBeyond(MAX_SIGN_UPS);
  }
}
