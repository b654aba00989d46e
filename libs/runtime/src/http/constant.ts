import type { Format } from './formats.ts';

/**
 * A result that is the same for everybody while the process runs. It is written out once in each format, and all answers leave from these
 * bytes: however many ask for it and read slowly, it lies in memory once.
 */
export class Constant<T> {
  private readonly written = new Map<Format, Buffer>();

  constructor(readonly result: T) {}

  /** `check` gives the result as its contract has it. */
  bytesIn(format: Format, check: (result: T) => unknown): Buffer {
    const bytes = this.written.get(format) ?? Buffer.from(format.write(check(this.result)));
    this.written.set(format, bytes);
    return bytes;
  }
}
