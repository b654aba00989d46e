import { setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '@codase/contracts';

export interface RequestLimits {
  failedShare: number;
  /** The longest allowed wait, if there is one, without the time in which Postgres, of which there is one, took no connections. */
  worstWaitMs?: number;
}

export interface RequestTally {
  count: number;
  failed: number;
  /** The longest that a caller waited, from its first attempt to an answer. */
  worstWaitMs: number;
  /** The longest wait without the time in which Postgres took no connections. */
  worstWaitBesideOutagesMs: number;
  worstWaits: Record<string, number>;
  limits: RequestLimits;
  /** The requests that failed or waited too long, by the fault that came before and by the kind of request, the worst first. */
  incidents: RequestIncidents[];
}

interface RequestIncidents {
  fault: string;
  request: string;
  failed: number;
  /** Callers who waited longer than the limit. */
  late: number;
  worstWaitMs: number;
  errors: Record<string, number>;
}

export const isWithinLimits = ({ count, failed, worstWaitBesideOutagesMs, limits }: RequestTally): boolean =>
  count > 0 && failed <= count * limits.failedShare && worstWaitBesideOutagesMs < (limits.worstWaitMs ?? Infinity);

/** The pauses between attempts. They are short, because a caller does not know how long an outage will take. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 500;

interface RequestLogOptions {
  say(line: string): void;
  fault?(): string;
  /** Returns how long Postgres took no connections since a moment, by `performance.now()`. */
  outageMs?(since: number): number;
  rest?(ms: number): Promise<unknown>;
}

/** Counts what callers experience. Each attempt is a request. A caller tries until it is answered, and an expected refusal is an answer. */
export class RequestLog {
  count = 0;
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
    const { count, failed, worstWaits, limits } = this;
    const [worstWaitMs, worstWaitBesideOutagesMs] = [Math.round(this.worstWaitMs), Math.round(this.worstWaitBesideOutagesMs)];
    const incidents = [...this.incidents.values()].sort((a, b) => b.failed - a.failed || b.worstWaitMs - a.worstWaitMs);
    return { count, failed, worstWaitMs, worstWaitBesideOutagesMs, worstWaits, limits, incidents };
  }

  forget(): void {
    this.count = this.failed = this.worstWaitMs = this.worstWaitBesideOutagesMs = 0;
    this.worstWaits = {};
    this.incidents.clear();
  }

  async untilAnswered<T>(kind: string, ask: () => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      this.count += 1;
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

  /** The last fault without the number of the replica: replicas are alike, so the kills of all of them count together. */
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

export function inShort(error: unknown): string {
  if (error instanceof Refusal) return `${error.status} ${error.key} (${error.message})`;
  const { code, message } = error as { code?: string; message?: string };
  return [code, message].filter(Boolean).join(' ');
}
