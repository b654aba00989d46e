import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { count, LOG, measure, type Log } from '@codase/runtime/telemetry';
import { ChallengesService } from '../challenges/challenges.service.ts';
import { ChallengesStore, type EndedLogin, type Login } from '../challenges/challenges.store.ts';
import type { LoginSignal } from '../challenges/login-state.ts';
import { METRICS } from '../metrics.ts';

/** Records each outcome once, and wakes the reads that wait for it. */
@Injectable()
export class OutcomesService {
  /** Called when there is an outcome to publish. */
  onOutcome: () => void = () => undefined;

  constructor(
    private readonly store: ChallengesStore,
    private readonly challenges: ChallengesService,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Records an outcome. Does nothing when the login had an outcome before: the first one stands. */
  async settle(login: Pick<Login, 'id'>, signal: LoginSignal, completed_at = this.clock.now()): Promise<void> {
    const settled = await this.store.settle(login, signal, completed_at);
    if (!settled) return;
    this.challenges.waiting.wake(login.id);
    this.onOutcome();
    this.countOutcome(settled.login);
    if (settled.also.includes('count lost')) this.reportLost(settled.login);
  }

  private countOutcome({ service, state, requested_at }: EndedLogin): void {
    const labels = { 'codase.service': service, 'codase.outcome': state };
    count(METRICS.outcomes, labels);
    measure(METRICS.outcomeTime, (this.clock.now().getTime() - requested_at.getTime()) / 1000, labels);
  }

  /** Reports a lost outcome, with the status of the event: an approval that no poll answered is no yes. @gap D1-3.1 */
  private reportLost({ service, event_status, polls }: EndedLogin): void {
    count(METRICS.consumedWithoutRecord, { 'codase.service': service });
    this.log.error('an outcome was consumed and not recorded: the login is refused', {
      'codase.service': service,
      'codase.attempt': polls,
      ...(event_status !== null && { 'codase.outcome': event_status }),
    });
  }
}
