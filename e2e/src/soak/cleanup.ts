/** Everything that was opened, to be closed in the opposite order, whatever happens in between. */
export class Cleanup {
  private readonly closers: (() => unknown)[] = [];

  push(...closers: (() => unknown)[]): void {
    this.closers.push(...closers);
  }

  async close(): Promise<void> {
    const faults: unknown[] = [];
    for (const close of this.closers.splice(0).toReversed()) {
      await Promise.resolve()
        .then(close)
        .catch((fault: unknown) => faults.push(fault));
    }
    if (faults.length) throw new AggregateError(faults, 'what a soak had opened could not all be closed');
  }
}
