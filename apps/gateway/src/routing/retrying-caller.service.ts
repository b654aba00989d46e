import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type ErrorKey } from '@codase/contracts';
import { withJitter } from '@codase/runtime/resilience';
import { SHUTDOWN } from '@codase/runtime/service';
import { count } from '@codase/runtime/telemetry';
import type { RateLimiter } from '../limits/rate-limiter.ts';
import { BasesService } from './bases.service.ts';
import type { Deadline } from './deadline.ts';
import { nextStep, noProgress, finalError, type Progress, type Step } from './next-step.ts';
import { refusalByStatus } from './unexpected-answer.ts';
import { METRICS } from '../metrics.ts';

/** A call to the platform, with what is needed to make it again. */
interface Attempt<T> {
  limiter: RateLimiter;
  /** The caller's name: the limiter takes turns among callers. */
  by: string;
  deadline: Deadline;
  /** Whether the call may be repeated though nobody knows whether it took effect. */
  safe: boolean;
  base(): string;
  send(): Promise<T>;
  /** Absent when there is no token to replace, and no other base to go to. */
  renew?(): Promise<void>;
  rebase?(api_url: string): void;
  /** Whether the call cannot be sent again, because its body streamed through and is gone. */
  isSpent?(): boolean;
}

/** A write or a drain with less time than this could be cut off, and nobody would know whether it took effect. */
const MIN_MS = 100;

type Outcome<T> = { value: T } | { error: unknown };

/** Makes a call, and repeats it after transient failures until it is answered, refused for good, or its time is over. */
@Injectable()
export class RetryingCaller {
  constructor(
    private readonly bases: BasesService,
    @Inject(SHUTDOWN) private readonly shutdown: AbortSignal,
  ) {}

  async call<T>(attempt: Attempt<T>): Promise<T> {
    for (const progress = noProgress(); ;) {
      const outcome = await this.send(attempt);
      if ('value' in outcome) return outcome.value;
      const step = nextStep({ error: outcome.error, safe: attempt.safe, progress, base: attempt.base() });
      const isSpent = attempt.isSpent?.() ?? false;
      const goesOn = !(isSpent && step.do === 'wait') && (await this.take(step, attempt, progress, outcome.error));
      if (!goesOn || (isSpent && step.do === 'slow_down')) throw finalError(outcome.error, attempt.safe);
      if (isSpent)
        throw notSent('The platform did not take the call, and its body cannot be sent twice: repeat it, and it takes the right way');
    }
  }

  /** Makes one attempt. A refusal of the limiter or the breaker is thrown: only the platform's own answers are worth another attempt. */
  private send<T>({ limiter, by, deadline, safe, base, send }: Attempt<T>): Promise<Outcome<T>> {
    this.bases.check(base());
    return limiter.run(by, deadline, () => {
      this.bases.check(base());
      if (!safe && !deadline.allows(MIN_MS))
        throw notSent('No time was left when its turn came, and nothing was sent: repeat the call later');
      return this.bases.through(base(), send).then(
        (value): Outcome<T> => ({ value }),
        (error: unknown): Outcome<T> => ({ error: refusalByStatus(error) }),
      );
    });
  }

  /** Takes the step, if there is time for it. Returns whether the call can go on. */
  private async take(step: Step, attempt: Attempt<unknown>, progress: Progress, error: unknown): Promise<boolean> {
    const key = error instanceof Refusal ? error.key : 'service.unavailable';
    switch (step.do) {
      case 'renew':
        progress.renewed = true;
        await attempt.renew?.();
        return attempt.renew !== undefined;
      case 'rebase':
        progress.rebased = true;
        attempt.rebase?.(step.api_url);
        return attempt.rebase !== undefined;
      case 'wait':
        progress.waits += 1;
        progress.repeated ||= key === 'service.unavailable';
        return this.waited(step.ms, attempt.deadline, key);
      case 'slow_down':
        progress.waits += 1;
        attempt.limiter.pause(step.seconds);
        count(METRICS.gatewayWaits, { 'codase.error_key': key });
        return attempt.deadline.allows(step.seconds * 1000);
      case 'give_up':
        return false;
    }
  }

  private async waited(ms: number, deadline: Deadline, key: ErrorKey): Promise<boolean> {
    const pause = withJitter(ms, JITTER);
    if (!deadline.allows(pause)) return false;
    count(METRICS.gatewayWaits, { 'codase.error_key': key });
    // Calls that pause are refused with 503 on shutdown: the pause may be longer than the process still has.
    await sleep(pause, undefined, { signal: this.shutdown }).catch(() => {
      throw notSent('The gateway stops, and the platform has not taken the call: repeat it, and another answers');
    });
    return true;
  }
}

const notSent = (why: string) => new Refusal('service.unavailable').after(1).because(why);

/** The random part of a pause, so that calls that wait for the same thing do not all come back at once. */
const JITTER = 0.1;
