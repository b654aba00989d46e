import { backoffMs } from '@codase/runtime/resilience';

/** How many failures in a row open the breaker for a pause, which doubles each time the probing call fails too. */
const FAILURES = 5;
const BACKOFF = { firstMs: 1000, longestMs: 30_000 };

/** What a call observed of its base. Any answer means that the base was reached, a refusal too. */
export type Observed = 'reached' | 'failed' | 'nothing';

/** Stops calls to a base that cannot be reached. After a pause one call probes the base, and its outcome decides for all. */
export class CircuitBreaker {
  private failures = 0;
  /** How many pauses there were in a row. */
  private pauses = 1;
  private openUntil: number | undefined;
  private probing = false;

  constructor(private readonly onChange: (isOpen: boolean) => void = () => {}) {}

  get isOpen(): boolean {
    return this.openUntil !== undefined;
  }

  /** Returns the milliseconds until a call may go, 0 when it may go now. */
  msLeft(now: number): number {
    if (this.openUntil === undefined) return 0;
    return this.probing ? backoffMs(BACKOFF, this.pauses) : Math.max(0, this.openUntil - now);
  }

  /** Begins a call. Returns a function that takes what the call observed when it ends. */
  enter(): (observed: Observed, now: number) => void {
    const isProbe = this.isOpen;
    this.probing ||= isProbe;
    return (observed, now) => {
      if (isProbe) this.probing = false;
      if (observed === 'reached') this.close();
      else if (observed === 'failed') this.fail(now, isProbe);
    };
  }

  private close(): void {
    if (this.isOpen) this.onChange(false);
    this.failures = 0;
    this.pauses = 1;
    this.openUntil = undefined;
  }

  /** Counts a failure. Calls that were under way when the breaker opened fail too, and do not open it again. */
  private fail(now: number, isProbe: boolean): void {
    this.failures += 1;
    if (this.isOpen ? !isProbe : this.failures < FAILURES) return;
    if (isProbe) this.pauses += 1;
    else this.onChange(true);
    this.openUntil = now + backoffMs(BACKOFF, this.pauses);
  }
}
