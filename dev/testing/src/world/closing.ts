/** The steps that close everything at the end. The last added step runs first. */
export class Closing {
  private readonly steps: (() => Promise<unknown>)[] = [];

  add(...steps: (() => Promise<unknown>)[]): void {
    this.steps.push(...steps);
  }

  /** Runs all steps, even when one of them fails, and then throws the first error. */
  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (const close of this.steps.splice(0).toReversed()) await close().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw faults[0];
  }
}
