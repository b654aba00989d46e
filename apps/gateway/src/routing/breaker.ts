/** Consecutive failures after which a base is left alone, and for how long; the pause doubles while it stays away. */
const FAILURES = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;

/** What a call learned of the base it went to. An answer is an answer, be it a refusal. */
export type Learned = 'reached' | 'failed' | 'nothing';

/** Keeps calls from a base that cannot be reached. After a pause one call may try; its outcome decides for all. */
export class Breaker {
  private failures = 0;
  private pauseMs = FIRST_PAUSE_MS;
  private awayUntil: number | undefined;
  private probing = false;

  constructor(private readonly onChange: (isOpen: boolean) => void = () => {}) {}

  get isOpen(): boolean {
    return this.awayUntil !== undefined;
  }

  /** Milliseconds a call has to stay away; 0 when it may go. */
  msLeft(now: number): number {
    if (this.awayUntil === undefined) return 0;
    return this.probing ? this.pauseMs : Math.max(0, this.awayUntil - now);
  }

  /** A call goes; it says afterwards what it learned. */
  enter(): (learned: Learned, now: number) => void {
    const isProbe = this.isOpen;
    this.probing ||= isProbe;
    return (learned, now) => {
      if (isProbe) this.probing = false;
      if (learned === 'reached') this.close();
      else if (learned === 'failed') this.fail(now, isProbe);
    };
  }

  private close(): void {
    if (this.isOpen) this.onChange(false);
    this.failures = 0;
    this.pauseMs = FIRST_PAUSE_MS;
    this.awayUntil = undefined;
  }

  /** Calls that were under way when it opened fail too, and tell nothing new. */
  private fail(now: number, isProbe: boolean): void {
    this.failures += 1;
    if (this.isOpen ? !isProbe : this.failures < FAILURES) return;
    if (isProbe) this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
    else this.onChange(true);
    this.awayUntil = now + this.pauseMs;
  }
}
