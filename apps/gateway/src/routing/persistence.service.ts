import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { count } from '@cds/runtime/telemetry';
import type { Lane } from '../limits/lane.ts';
import { BasesService } from './bases.service.ts';
import type { Deadline } from './deadline.ts';
import { nextStep, nothingYet, toldOf, type SoFar, type Step } from './next-step.ts';
import { understood } from './understood.ts';

/** A call to the platform that is worth some effort. */
export interface Endeavour<T> {
  lane: Lane;
  /** Who asks: queues are fair among them. */
  by: string;
  deadline: Deadline;
  /** Whether it may be repeated though nobody knows what became of it. */
  safe: boolean;
  base(): string;
  send(): Promise<T>;
  /** Absent where there is no token to replace, and no other base to turn to. */
  renew?(): Promise<void>;
  rebase?(api_url: string): void;
  /** Whether it can be sent again at all: a body that streamed through is gone. */
  isSpent?(): boolean;
}

/** A write or a drain with less time than that would end in the middle, and nobody would know what became of it. */
const LEAST_MS = 100;

type Outcome<T> = { value: T } | { error: unknown };

/** Pursues a call until it is answered, refused for good, or its time is over. */
@Injectable()
export class PersistenceService implements BeforeApplicationShutdown {
  private readonly stopping = new AbortController();

  constructor(private readonly bases: BasesService) {}

  /** Whoever waits for a better moment is told at once: it may be longer than a process that stops has. */
  beforeApplicationShutdown(): void {
    this.stopping.abort();
  }

  async pursue<T>(call: Endeavour<T>): Promise<T> {
    for (const soFar = nothingYet(); ;) {
      const outcome = await this.attempt(call);
      if ('value' in outcome) return outcome.value;
      const step = nextStep({ error: outcome.error, safe: call.safe, soFar, base: call.base() });
      const isSpent = call.isSpent?.() ?? false;
      const goesOn = !(isSpent && step.do === 'wait') && (await this.take(step, call, soFar, outcome.error));
      if (!goesOn || (isSpent && step.do === 'slow_down')) throw toldOf(outcome.error, call.safe);
      if (isSpent)
        throw notSent('The platform did not take the call, and its body cannot be sent twice: repeat it, and it takes the right way');
    }
  }

  /** One turn in the lane. What the lane or the breaker refuses is thrown: only the platform's own answers are worth another try. */
  private attempt<T>({ lane, by, deadline, safe, base, send }: Endeavour<T>): Promise<Outcome<T>> {
    this.bases.check(base());
    return lane.run(by, deadline, () => {
      this.bases.check(base());
      if (!safe && !deadline.hasRoomFor(LEAST_MS))
        throw notSent('No time was left when its turn came, and nothing was sent: repeat the call later');
      return this.bases.through(base(), send).then(
        (value): Outcome<T> => ({ value }),
        (error: unknown): Outcome<T> => ({ error: understood(error) }),
      );
    });
  }

  /** Takes the step, if there is time for it; says whether the call can go on. */
  private async take(step: Step, call: Endeavour<unknown>, soFar: SoFar, error: unknown): Promise<boolean> {
    const key = error instanceof Refusal ? error.key : 'service.unavailable';
    switch (step.do) {
      case 'renew':
        soFar.renewed = true;
        await call.renew?.();
        return call.renew !== undefined;
      case 'rebase':
        soFar.rebased = true;
        call.rebase?.(step.api_url);
        return call.rebase !== undefined;
      case 'wait':
        soFar.waits += 1;
        soFar.repeated ||= key === 'service.unavailable';
        return this.waited(step.ms, call.deadline, key);
      case 'slow_down':
        soFar.waits += 1;
        call.lane.pause(step.seconds);
        count('gatewayWaits', { 'cds.error_key': key });
        return call.deadline.hasRoomFor(step.seconds * 1000);
      case 'give_up':
        return false;
    }
  }

  private async waited(ms: number, deadline: Deadline, key: string): Promise<boolean> {
    const pause = ms * (1 + Math.random() * JITTER);
    if (!deadline.hasRoomFor(pause)) return false;
    count('gatewayWaits', { 'cds.error_key': key });
    await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => {
      throw notSent('The gateway stops, and the platform has not taken the call: repeat it, and another answers');
    });
    return true;
  }
}

const notSent = (why: string) => new Refusal('service.unavailable').after(1).because(why);

/** Those who wait for the same thing do not all come back at once. */
const JITTER = 0.1;
