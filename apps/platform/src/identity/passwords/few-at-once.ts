import { Refusal } from '@cds/contracts';

/** Costly work that only a few may do at once. Some more wait in line; whoever comes after them is told to come again. */
export class FewAtOnce {
  private running = 0;
  private readonly line: (() => void)[] = [];
  private readonly most: number;
  private readonly longestLine: number;

  constructor({ most, longestLine }: { most: number; longestLine: number }) {
    this.most = most;
    this.longestLine = longestLine;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.turn();
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private async turn(): Promise<void> {
    if (this.running < this.most) return void this.running++;
    if (this.line.length >= this.longestLine)
      throw new Refusal('service.unavailable').because('Too many sign-ins at once: repeat the call in a moment').after(1);
    await new Promise<void>((resolve) => this.line.push(resolve));
  }

  /** The place goes to the next in line without ever being free, so that nobody slips in between. */
  private next(): void {
    const waiting = this.line.shift();
    if (waiting) waiting();
    else this.running--;
  }
}
