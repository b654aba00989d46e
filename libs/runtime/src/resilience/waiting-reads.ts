/** More than the requests of a company that wait at once; each costs a timer and a request that is held open. */
const MOST = 10_000;

/** Requests that wait in this process for something to happen, as reads of a login do for its outcome. */
export class WaitingReads {
  private readonly waiting = new Map<string, Set<() => void>>();
  private count = 0;
  private isClosed = false;

  constructor(private readonly most = MOST) {}

  /** How many wait. */
  get size(): number {
    return this.count;
  }

  get isFull(): boolean {
    return this.count >= this.most;
  }

  /** What somebody waits for. */
  get ids(): string[] {
    return [...this.waiting.keys()];
  }

  /** Ends when it is woken or the time is over, whichever is first; at once where too many wait already. */
  wait(id: string, ms: number): Promise<void> {
    if (this.isClosed || this.isFull || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const those = this.waiting.get(id) ?? new Set();
      this.waiting.set(id, those);
      const done = () => {
        clearTimeout(timer);
        those.delete(done);
        this.count--;
        if (those.size === 0 && this.waiting.get(id) === those) this.waiting.delete(id);
        resolve();
      };
      const timer = setTimeout(done, ms);
      those.add(done);
      this.count++;
    });
  }

  wake(id: string): void {
    for (const done of this.waiting.get(id) ?? []) done();
  }

  /** The process stops: whoever waits asks again, and another answers. */
  close(): void {
    this.isClosed = true;
    for (const id of this.ids) this.wake(id);
  }
}
