import { concatBytes, sameBytes, type Bytes } from './bytes.ts';
import { Malformed } from './refusal.ts';

/** The few ASN.1 tags that private keys are made of. */
export const TAG = { integer: 0x02, octets: 0x04, null: 0x05, oid: 0x06, sequence: 0x30 } as const;

/** Writes one DER element. Its content must be shorter than 64 KiB. */
export function der(tag: number, ...content: Uint8Array[]): Bytes {
  const bytes = concatBytes(...content);
  return concatBytes(new Uint8Array([tag, ...lengthOctets(bytes.length)]), bytes);
}

/** Writes a DER INTEGER that is not negative. */
export function derInteger(value: number): Bytes {
  const octets = [value & 0xff];
  for (let rest = Math.floor(value / 256); rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest & 0xff);
  if (octets[0]! >= 0x80) octets.unshift(0);
  return der(TAG.integer, new Uint8Array(octets));
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** Reads strict DER only: definite lengths in their shortest form, expected tags, and nothing left over. */
export class DerReader {
  readonly #bytes: Bytes;
  #at = 0;

  constructor(bytes: Bytes) {
    this.#bytes = bytes;
  }

  /** Returns the content of the next element, of this tag. It is a view: a copy of a private key would have to be zeroed too. */
  take(tag: number): Bytes {
    if (this.#byte() !== tag) throw new Malformed();
    const end = this.#length() + this.#at;
    if (end > this.#bytes.length) throw new Malformed();
    const content = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return content;
  }

  /** Returns a reader over the content of the next element. */
  enter(tag: number): DerReader {
    return new DerReader(this.take(tag));
  }

  /** Reads a small INTEGER: not negative, in its shortest form, at most four octets. */
  takeInteger(): number {
    const octets = this.take(TAG.integer);
    const value = octets.reduce((sum, octet) => sum * 256 + octet, 0);
    if (octets.length > 4 || !sameBytes(derInteger(value), der(TAG.integer, octets))) throw new Malformed();
    return value;
  }

  /** Whether the next element has this tag. */
  sees(tag: number): boolean {
    return this.#bytes[this.#at] === tag;
  }

  /** Throws when anything follows. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new Malformed();
  }

  #length(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    if (first === 0x81) return atLeast(0x80, this.#byte());
    if (first === 0x82) return atLeast(0x100, this.#byte() * 256 + this.#byte());
    throw new Malformed();
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Malformed();
    this.#at += 1;
    return byte;
  }
}

function atLeast(least: number, length: number): number {
  if (length < least) throw new Malformed();
  return length;
}
