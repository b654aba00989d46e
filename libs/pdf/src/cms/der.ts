/** The ASN.1 tags that signatures, certificates and timestamps are made of. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
  context1: 0xa1,
  context3: 0xa3,
} as const;

/** Writes one DER element. */
export function der(tag: number, ...content: Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(body.length)]), body]);
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length];
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest & 0xff);
  return [0x80 | octets.length, ...octets];
}

export const sequence = (...items: Uint8Array[]): Buffer => der(TAG.sequence, ...items);
export const octets = (bytes: Uint8Array): Buffer => der(TAG.octets, bytes);
/** Writes a SET: DER sorts its elements by their bytes. */
export const setOf = (...items: Uint8Array[]): Buffer => der(TAG.set, ...items.toSorted((a, b) => Buffer.compare(a, b)));
export const NULL = der(TAG.null);

/** Writes an INTEGER that is not negative, from a number or its octets. */
export function integer(value: number | Uint8Array): Buffer {
  const given = typeof value === 'number' ? Buffer.from(value.toString(16).padStart(8, '0'), 'hex') : Buffer.from(value);
  let from = 0;
  while (from < given.length - 1 && given[from] === 0) from += 1;
  const shortest = given.subarray(from);
  return der(TAG.integer, ...(shortest[0]! >= 0x80 ? [Buffer.from([0])] : []), shortest);
}

export function oid(dotted: string): Buffer {
  const [first, second, ...rest] = dotted.split('.').map(Number) as [number, number, ...number[]];
  return der(TAG.oid, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(arc: number): number[] {
  const groups = [arc & 0x7f];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) groups.unshift((rest & 0x7f) | 0x80);
  return groups;
}

/** Thrown for input that is not the expected DER. The readers of signatures turn it into a sentence for people. */
export class NotDer extends Error {}

/** One element that was read. Its bytes are views into the buffer that it was read from. */
export class Element {
  constructor(
    readonly tag: number,
    /** The element with its tag and length. */
    readonly whole: Buffer,
    readonly content: Buffer,
  ) {}

  /** Returns the elements inside this one. */
  children(): Element[] {
    const found: Element[] = [];
    for (let at = 0; at < this.content.length;) {
      const child = readElement(this.content.subarray(at));
      found.push(child);
      at += child.whole.length;
    }
    return found;
  }

  /** Returns the elements inside this one. Throws when this element has another tag. */
  enter(tag: number = TAG.sequence): Elements {
    return new Elements(this.expect(tag).children());
  }

  expect(tag: number): this {
    if (this.tag !== tag) throw new NotDer('another element than expected');
    return this;
  }

  /** Returns an object identifier in dotted form. */
  oid(): string {
    const bytes = this.expect(TAG.oid).content;
    const arcs: number[] = [];
    let arc = 0;
    for (const byte of bytes) {
      arc = arc * 128 + (byte & 0x7f);
      if (byte < 0x80) {
        arcs.push(arc);
        arc = 0;
      }
    }
    const [first = 0, ...rest] = arcs;
    const head = Math.min(2, Math.floor(first / 40));
    return [head, first - head * 40, ...rest].join('.');
  }
}

/** A list of elements that are taken one after the other. */
class Elements {
  readonly #all: readonly Element[];
  #at = 0;

  constructor(all: readonly Element[]) {
    this.#all = all;
  }

  next(tag?: number): Element {
    const found = this.#all[this.#at];
    if (!found) throw new NotDer('an element is missing');
    if (tag !== undefined) found.expect(tag);
    this.#at += 1;
    return found;
  }

  /** Takes the next element if it has this tag. */
  optional(tag: number): Element | undefined {
    return this.#all[this.#at]?.tag === tag ? this.next() : undefined;
  }
}

/** Reads the element at the beginning of the buffer. Its length must be definite and in the shortest form, as DER demands. */
export function readElement(bytes: Buffer): Element {
  const [tag, first] = bytes;
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) throw new NotDer('no element');
  if (first < 0x80) return elementOf(bytes, tag, 2, first);
  const count = first & 0x7f;
  if (count === 0 || count > 4 || bytes.length < 2 + count) throw new NotDer('a length that DER does not have');
  const length = bytes.readUIntBE(2, count);
  if (length < (count === 1 ? 0x80 : 2 ** (8 * (count - 1)))) throw new NotDer('a length that is not the shortest');
  return elementOf(bytes, tag, 2 + count, length);
}

function elementOf(bytes: Buffer, tag: number, header: number, length: number): Element {
  const end = header + length;
  if (end > bytes.length) throw new NotDer('an element that ends too early');
  return new Element(tag, bytes.subarray(0, end), bytes.subarray(header, end));
}
