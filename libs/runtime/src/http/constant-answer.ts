import type { Format } from './formats.ts';

/**
 * A result that is the same for all callers while the process runs. It is written once in each format, and all answers leave from these
 * bytes: it lies in memory once, however many callers ask for it and read slowly.
 */
export class ConstantAnswer<T> {
  private readonly written = new Map<Format, Buffer>();

  constructor(readonly result: T) {}

  /** The bytes of the result in a format. `check` cuts the result to the shape of its contract. */
  bytesIn(format: Format, check: (result: T) => unknown): Buffer {
    const bytes = this.written.get(format) ?? Buffer.from(format.write(check(this.result)));
    this.written.set(format, bytes);
    return bytes;
  }
}
