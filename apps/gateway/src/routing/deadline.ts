/** What an asker waits for who does not say how long. */
export const USUAL_MS = 30_000;
/** Nobody keeps a request here longer, whatever they say. */
const LONGEST_MS = 300_000;

/** The rest is for the answer's way back: an asker that is told no in time need not guess. */
const OURS = 0.95;

/** The time a request may take, waits and repeats included. */
export class Deadline {
  private readonly endsAt: number;

  constructor(withinMs: number = USUAL_MS) {
    this.endsAt = performance.now() + Math.min(withinMs, LONGEST_MS) * OURS;
  }

  get leftMs(): number {
    return Math.max(0, this.endsAt - performance.now());
  }

  /** Whether something that takes so long would leave time for the call itself. */
  hasRoomFor(ms: number): boolean {
    return ms < this.leftMs;
  }

  /** Does the work, which the signal ends when the time is over. */
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
