/** `/Type`, without its slash and with its escapes resolved. */
export class Name {
  constructor(readonly value: string) {}
}

/** `12 0 R` */
export class Ref {
  constructor(
    readonly num: number,
    readonly gen: number,
  ) {}
}

/** The bytes of a string, literal or hexadecimal. */
export class Text {
  constructor(readonly bytes: Buffer) {}

  /** Returns the text as people read it: by its byte order mark, otherwise as Latin-1, which is close to PDF's own encoding. */
  toString(): string {
    const [a, b, c] = this.bytes;
    if (a === 0xfe && b === 0xff) return utf16(this.bytes.subarray(2));
    if (a === 0xef && b === 0xbb && c === 0xbf) return this.bytes.toString('utf8', 3);
    return this.bytes.toString('latin1');
  }
}

const utf16 = (bytes: Buffer) =>
  Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le');

/** A value and its position in its source, so that unchanged values can be written again byte for byte. */
interface Placed {
  value: Value;
  start: number;
  end: number;
}

export class Dict {
  readonly entries = new Map<string, Placed>();
  /** Whether a key occurs twice, which different readers understand differently. */
  hasDuplicates = false;
  end = 0;

  constructor(
    readonly source: Buffer,
    readonly start: number,
  ) {}

  get(key: string): Value | undefined {
    return this.entries.get(key)?.value;
  }

  /** Returns the bytes of an entry's value exactly as the file has them. */
  raw(key: string): Buffer | undefined {
    const placed = this.entries.get(key);
    return placed && this.source.subarray(placed.start, placed.end);
  }
}

/** A dictionary with data after it. The end of the data is known only once the dictionary's length is resolved. */
export class Stream {
  constructor(
    readonly dict: Dict,
    readonly dataStart: number,
  ) {}
}

export type Value = null | boolean | number | Name | Ref | Text | Value[] | Dict;

export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
