import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@cds/contracts';

/** What callers may meet. */
export interface RequestLimits {
  /** Of all requests, those that may fail. */
  failedShare: number;
  /** Absent, a wait may be of any length. What of it fell into an outage of Postgres, of which there is one, does not count. */
  worstWaitMs?: number;
}

/** What callers met. */
export interface RequestTally {
  asked: number;
  failed: number;
  /** The longest that a caller waited, from its first try to an answer. */
  worstWaitMs: number;
  /** The same without the time in which Postgres took no connections. */
  worstWaitBesideOutagesMs: number;
  /** The longest after each kind of fault. */
  worstWaits: Record<string, number>;
  limits: RequestLimits;
  /** Those that failed or waited too long, by the fault that came before and by what was asked; the worst first. */
  incidents: RequestIncidents[];
}

/** What befell the requests of one kind after one kind of fault. */
export interface RequestIncidents {
  fault: string;
  request: string;
  failed: number;
  /** Callers who waited longer than the limit. */
  late: number;
  worstWaitMs: number;
  /** How often each error came. */
  errors: Record<string, number>;
}

export const isWithinLimits = ({ asked, failed, worstWaitBesideOutagesMs, limits }: RequestTally): boolean =>
  asked > 0 && failed <= asked * limits.failedShare && worstWaitBesideOutagesMs < (limits.worstWaitMs ?? Infinity);

/** Pauses of a caller that was not answered: short, as nobody says how long it will take. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;

export interface RequestLogOptions {
  say(line: string): void;
  /** The fault that came last. */
  fault?(): string;
  /** How long Postgres took no connections since a moment, by `performance.now()`. */
  outageMs?(since: number): number;
  rest?(ms: number): Promise<unknown>;
}

/** Counts what callers meet. Each try is a request; a caller tries until it is answered, and a refusal that it expects is an answer. */
export class RequestLog {
  asked = 0;
  failed = 0;
  worstWaitMs = 0;
  private worstWaitBesideOutagesMs = 0;
  private worstWaits: Record<string, number> = {};
  private readonly incidents = new Map<string, RequestIncidents>();
  private readonly options: Required<RequestLogOptions>;

  constructor(
    private readonly limits: RequestLimits,
    options: RequestLogOptions,
  ) {
    this.options = { fault: () => 'none', outageMs: () => 0, rest: pause, ...options };
  }

  get tally(): RequestTally {
    const { asked, failed, worstWaits, limits } = this;
    const [worstWaitMs, worstWaitBesideOutagesMs] = [Math.round(this.worstWaitMs), Math.round(this.worstWaitBesideOutagesMs)];
    const incidents = [...this.incidents.values()].sort((a, b) => b.failed - a.failed || b.worstWaitMs - a.worstWaitMs);
    return { asked, failed, worstWaitMs, worstWaitBesideOutagesMs, worstWaits, limits, incidents };
  }

  /** Nothing of what was met so far counts. */
  forget(): void {
    this.asked = this.failed = this.worstWaitMs = this.worstWaitBesideOutagesMs = 0;
    this.worstWaits = {};
    this.incidents.clear();
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
      await this.options.rest(pauseMs);
    }
  }

  private noteWait(request: string, waitedMs: number): void {
    this.worstWaitMs = Math.max(this.worstWaitMs, waitedMs);
    const besideMs = waitedMs - this.options.outageMs(performance.now() - waitedMs);
    this.worstWaitBesideOutagesMs = Math.max(this.worstWaitBesideOutagesMs, besideMs);
    this.worstWaits[this.fault] = Math.max(this.worstWaits[this.fault] ?? 0, Math.round(waitedMs));
    if (waitedMs < (this.limits.worstWaitMs ?? Infinity)) return;
    this.options.say(`${request} waited ${Math.round(waitedMs)} ms`);
    this.incidentsOf(request, waitedMs).late += 1;
  }

  private noteFailure(request: string, waitedMs: number, error: unknown): void {
    this.failed += 1;
    const how = inShort(error);
    const incidents = this.incidentsOf(request, waitedMs);
    incidents.failed += 1;
    incidents.errors[how] = (incidents.errors[how] ?? 0) + 1;
    this.options.say(`failed after ${Math.round(waitedMs)} ms: ${request}: ${how}`);
  }

  /** Replicas are alike: what follows the kill of one counts with what follows the kill of another. */
  private get fault(): string {
    return this.options.fault().replace(/ \d+(?= )/, '');
  }

  private incidentsOf(request: string, waitedMs: number): RequestIncidents {
    const { fault } = this;
    const key = `${fault}\n${request}`;
    const known = this.incidents.get(key) ?? { fault, request, failed: 0, late: 0, worstWaitMs: 0, errors: {} };
    this.incidents.set(key, known);
    known.worstWaitMs = Math.max(known.worstWaitMs, Math.round(waitedMs));
    return known;
  }
}

/** A refusal by its key, another error by its code. */
export function inShort(error: unknown): string {
  if (error instanceof Refusal) return `${error.status} ${error.key} (${error.message})`;
  const { code, message } = error as { code?: string; message?: string };
  return [code, message].filter(Boolean).join(' ');
}
