/** More requests than one company has waiting at once. Each costs a timer and a request that is kept open. */
const MAX = 10_000;

/** Requests that wait in this process for something to happen, as reads of a login do for its outcome. */
export class WaitingReads {
  private readonly waiting = new Map<string, Set<() => void>>();
  private count = 0;
  private closed = false;

  constructor(private readonly most = MAX) {}

  /** How many requests wait. */
  get size(): number {
    return this.count;
  }

  get isFull(): boolean {
    return this.count >= this.most;
  }

  /** Whether the process stops. A caller that waits in a loop must end it then, because no wait lasts any more. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** The ids that requests wait for. */
  get ids(): string[] {
    return [...this.waiting.keys()];
  }

  /** Waits until the id is woken or the time is over, whichever is first. Returns at once when too many requests wait already. */
  wait(id: string, ms: number): Promise<void> {
    if (this.closed || this.isFull || ms <= 0) return Promise.resolve();
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

  /** Ends all waits because the process stops: the callers ask again, and another process answers. */
  close(): void {
    this.closed = true;
    for (const id of this.ids) this.wake(id);
  }
}
