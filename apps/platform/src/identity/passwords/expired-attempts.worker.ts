import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { repeat, type Repeated } from '@cds/runtime/resilience';
import { LOG, type Log } from '@cds/runtime/telemetry';
import { SignUpStore } from '../sign-up/sign-up.store.ts';
import { PasswordAttemptsStore } from './password-attempts.store.ts';

const EVERY_MS = 60_000;
const BATCH = 1000;

/** Deletes failures and addresses that count no more, and sign-ups that nobody confirmed. Replicas pass over each other's rows. */
@Injectable()
export class ExpiredAttempts implements OnApplicationBootstrap, OnApplicationShutdown {
  private rounds: Repeated | undefined;

  constructor(
    private readonly attempts: PasswordAttemptsStore,
    private readonly signUps: SignUpStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = repeat(() => this.sweep(), {
      name: 'expired_password_attempts',
      pauseMs: EVERY_MS,
      onFailure: (error) => this.log.error('old password failures could not be deleted', { error }),
    });
  }

  private async sweep(): Promise<void> {
    const now = this.clock.now();
    await this.attempts.deleteExpired(now, BATCH);
    await this.signUps.deleteExpired(now, BATCH);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rounds?.stop();
  }
}
