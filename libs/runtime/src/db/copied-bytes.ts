import type { Readable } from 'node:stream';

/** The codes of two messages of Postgres, which begin and carry a copy. A length follows, which counts itself. */
const [COPY_BEGINS, COPY_DATA] = [0x48, 0x64];
const [HEADER_BYTES, LENGTH_BYTES] = [5, 4];

/**
 * Collects what is copied out of the database. The driver assembles each message before it reads it, in memory of more than twice its
 * length that is collected late. So this class reads the connection itself for as long as there is nothing else on it, and the driver reads
 * the rest.
 */
export class CopiedBytes {
  private length = 0;
  private isTooLong = false;
  /** The first bytes of a message header, when a chunk ended within it. */
  private header: Buffer = Buffer.alloc(0);
  /** How many bytes of the current message are still to come, and whether it holds data of the copy. */
  private left = 0;
  private isData = false;

  constructor(private readonly into: Buffer) {}

  /** All that was copied, once it has come; undefined when it was too long. */
  get taken(): Buffer | undefined {
    return this.isTooLong ? undefined : this.into.subarray(0, this.length);
  }

  takeFrom(connection: Readable): void {
    const [driver, ...others] = connection.listeners('data') as ((chunk: Buffer) => void)[];
    if (!driver || others.length > 0) return;
    const take = (chunk: Buffer) => {
      const rest = this.take(chunk);
      if (!rest) return;
      connection.on('data', driver).off('data', take);
      driver.call(connection, rest);
    };
    connection.on('data', take).off('data', driver);
  }

  add(data: Buffer): void {
    if (this.length + data.length > this.into.length) this.isTooLong = true;
    else this.length += data.copy(this.into, this.length);
  }

  /** Reads a chunk. Returns the rest of it from the first message on that does not belong to the copy. */
  take(chunk: Buffer): Buffer | undefined {
    let at = 0;
    while (at < chunk.length) {
      if (this.left > 0) at = this.readOn(chunk, at);
      else if (this.header.length === 0 && chunk[at] !== COPY_DATA && chunk[at] !== COPY_BEGINS) return chunk.subarray(at);
      else at = this.readHeader(chunk, at);
    }
    return undefined;
  }

  private readOn(chunk: Buffer, at: number): number {
    const end = Math.min(at + this.left, chunk.length);
    if (this.isData) this.add(chunk.subarray(at, end));
    this.left -= end - at;
    return end;
  }

  private readHeader(chunk: Buffer, at: number): number {
    const end = Math.min(at + HEADER_BYTES - this.header.length, chunk.length);
    const header = Buffer.concat([this.header, chunk.subarray(at, end)]);
    const isWhole = header.length === HEADER_BYTES;
    this.header = isWhole ? Buffer.alloc(0) : header;
    if (isWhole) [this.isData, this.left] = [header[0] === COPY_DATA, header.readInt32BE(1) - LENGTH_BYTES];
    return end;
  }
}
