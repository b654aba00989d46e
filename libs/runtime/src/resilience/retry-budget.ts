export interface RetryBudgetOptions {
  /** How many repeats each request adds to the budget. */
  share: number;
  /** The most repeats at once, as when a replica dies that had many requests in hand. */
  most: number;
}

/** Lets a few requests be repeated: when everything is slow, repeats would make it slower. Unspent ones are kept, up to `most`. */
export class RetryBudget {
  private left: number;

  constructor(private readonly options: RetryBudgetOptions) {
    this.left = options.most;
  }

  /** Adds the share of a request that is made. */
  earn(): void {
    this.left = Math.min(this.options.most, this.left + this.options.share);
  }

  /** Takes one repeat from the budget; returns whether there was one. */
  spend(): boolean {
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }
}
