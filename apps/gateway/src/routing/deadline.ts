/** The time for a call whose caller does not say how long it waits. */
export const USUAL_MS = 30_000;
/** The longest time that a call may take, whatever its caller says. */
const LONGEST_MS = 300_000;

/** The gateway's part of the caller's time. The rest is for the way back: a refusal that arrives in time says what was done. */
const OURS = 0.95;

/** The time that a call may take, with all its pauses and retries. */
export class Deadline {
  private readonly endsAt: number;

  constructor(withinMs: number = USUAL_MS) {
    this.endsAt = performance.now() + Math.min(withinMs, LONGEST_MS) * OURS;
  }

  get leftMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** Whether a wait of so many milliseconds leaves time for the call itself. */
  allows(ms: number): boolean {
    return ms < this.leftMs;
  }

  /** Does the work, and cancels it through the signal when the time is over. */
  async bound<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(Object.assign(new Error('the time is over'), { name: 'TimeoutError' })), this.leftMs);
    try {
      return await work(over.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
