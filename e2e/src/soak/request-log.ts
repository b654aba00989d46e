import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@cds/contracts';

/** What callers may meet. */
export interface RequestLimits {
  /** Of all requests, those that may fail. */
  failedShare: number;
  /** Absent, a wait may be of any length. */
  worstWaitMs?: number;
}

/** What callers met. */
export interface RequestTally {
  asked: number;
  failed: number;
  /** The longest that a caller waited, from its first try to an answer. */
  worstWaitMs: number;
  limits: RequestLimits;
}

export const isWithinLimits = ({ asked, failed, worstWaitMs, limits }: RequestTally): boolean =>
  asked > 0 && failed <= asked * limits.failedShare && worstWaitMs < (limits.worstWaitMs ?? Infinity);

/** Pauses of a caller that was not answered: short, as nobody says how long it will take. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;

/** Counts what callers meet. Each try is a request; a caller tries until it is answered, and a refusal that it expects is an answer. */
export class RequestLog {
  asked = 0;
  failed = 0;
  worstWaitMs = 0;
  /** How often what failed in which way. */
  readonly failures = new Map<string, number>();

  constructor(
    private readonly limits: RequestLimits,
    private readonly say: (line: string) => void,
    private readonly rest: (ms: number) => Promise<unknown> = pause,
  ) {}

  get tally(): RequestTally {
    const { asked, failed, worstWaitMs, limits } = this;
    return { asked, failed, worstWaitMs: Math.round(worstWaitMs), limits };
  }

  async untilAnswered<T>(kind: string, ask: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      this.asked += 1;
      const answer = await ask().then(
        (value) => ({ value }),
        (error: unknown) => ({ error }),
      );
      const waitedMs = performance.now() - startedAt;
      if ('value' in answer) {
        this.noteWait(kind, waitedMs);
        return answer.value;
      }
      this.noteFailure(kind, waitedMs, answer.error);
      await this.rest(pauseMs);
    }
  }

  private noteWait(kind: string, waitedMs: number): void {
    if (waitedMs > this.worstWaitMs && waitedMs > (this.limits.worstWaitMs ?? Infinity))
      this.say(`${kind} waited ${Math.round(waitedMs)} ms`);
    this.worstWaitMs = Math.max(this.worstWaitMs, waitedMs);
  }

  private noteFailure(kind: string, waitedMs: number, error: unknown): void {
    this.failed += 1;
    const how = `${kind}: ${inShort(error)}`;
    this.failures.set(how, (this.failures.get(how) ?? 0) + 1);
    this.say(`failed after ${Math.round(waitedMs)} ms: ${how}`);
  }
}

/** A refusal by its key, another error by its code. */
function inShort(error: unknown): string {
  if (error instanceof Refusal) return `${error.status} ${error.key} (${error.message})`;
  const { code, message } = error as { code?: string; message?: string };
  return [code, message].filter(Boolean).join(' ');
}
