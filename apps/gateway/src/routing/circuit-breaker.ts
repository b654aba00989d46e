import { backoffMs } from '@cds/runtime/resilience';

/** Failures in a row after which a base is not called for a while; the pause doubles each time the call that tries fails too. */
const FAILURES = 5;
const BACKOFF = { firstMs: 1000, longestMs: 30_000 };

/** What a call observed of its base. Any answer means it was reached, a refusal too. */
export type Observed = 'reached' | 'failed' | 'nothing';

/** Stops calls to a base that cannot be reached. After a pause one call may try; its outcome decides for all. */
export class CircuitBreaker {
  private failures = 0;
  /** Pauses in a row. */
  private pauses = 1;
  private openUntil: number | undefined;
  private probing = false;

  constructor(private readonly onChange: (isOpen: boolean) => void = () => {}) {}

  get isOpen(): boolean {
    return this.openUntil !== undefined;
  }

  /** Milliseconds until a call may go; 0 when it may go now. */
  msLeft(now: number): number {
    if (this.openUntil === undefined) return 0;
    return this.probing ? backoffMs(BACKOFF, this.pauses) : Math.max(0, this.openUntil - now);
  }

  /** A call begins; what it is given takes what it observed at its end. */
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

  /** Calls that were under way when it opened fail too, and that is nothing new. */
  private fail(now: number, isProbe: boolean): void {
    this.failures += 1;
    if (this.isOpen ? !isProbe : this.failures < FAILURES) return;
    if (isProbe) this.pauses += 1;
    else this.onChange(true);
    this.openUntil = now + backoffMs(BACKOFF, this.pauses);
  }
}
