/** What is to be closed at the end, the last opened first. */
export class Closing {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(...steps: (() => Promise<unknown>)[]): void {
    this.steps.push(...steps);
  }

  /** All of it, also where a part does not end well; the first such fault is thrown. */
  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (const close of this.steps.splice(0).toReversed()) await close().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  }
}
