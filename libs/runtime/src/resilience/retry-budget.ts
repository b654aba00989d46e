export interface RetryBudgetOptions {
  /** Repeats for each request, in the long run. */
  share: number;
  /** Repeats at once, as when a replica dies that had many requests in hand. */
  most: number;
}

/**
 * Lets a few requests be repeated, and not all of them: where everything is slow, repeats would make it slower. What was not spent is
 * kept, up to `most`.
 */
export class RetryBudget {
  private left: number;

  constructor(private readonly options: RetryBudgetOptions) {
    this.left = options.most;
  }

  /** A request is made. */
  earn(): void {
    this.left = Math.min(this.options.most, this.left + this.options.share);
  }

  /** Whether one may be repeated. */
  spend(): boolean {
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
