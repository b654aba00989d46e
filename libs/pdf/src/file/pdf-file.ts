import { Budget, MAX_DEPTH, type PdfLimits } from '../limits.ts';
import { damaged, PdfRefusal } from '../refusal.ts';
import { readCrossReference, type CrossReference } from './cross-reference.ts';
import { decoded, decodedContent } from './inflate.ts';
import { Parser } from './parser.ts';
import { Dict, isCount, Name, Ref, Stream, type Value } from './values.ts';

interface ObjectStream {
  data: Buffer;
  /** The offset of each object in `data`, by object number. */
  offsets: ReadonlyMap<number, number>;
}

/** A PDF whose objects are read on demand. The constructor reads only the cross-reference. */
export class PdfFile {
  readonly bytes: Buffer;
  readonly budget: Budget;
  readonly crossReference: CrossReference;
  readonly #objectStreams = new Map<number, ObjectStream>();

  constructor(bytes: Buffer, limits: Partial<PdfLimits> = {}) {
    this.bytes = bytes;
    this.budget = new Budget(limits);
    if (bytes.length > this.budget.limits.bytes) throw new PdfRefusal('too_large', `more than ${this.budget.limits.bytes} bytes`);
    this.crossReference = readCrossReference(bytes, this.budget);
    if (this.crossReference.trailer.get('Encrypt') instanceof Object) throw new PdfRefusal('encrypted', 'an Encrypt entry');
  }

  /** Returns the document catalog and its reference. */
  root(): { ref: Ref; dict: Dict } {
    const ref = this.crossReference.trailer.get('Root');
    const dict = this.resolve(ref);
    if (!(ref instanceof Ref) || !(dict instanceof Dict)) throw damaged('no catalog');
    return { ref, dict };
  }

  /** Follows references. Returns the object that they lead to, or null when there is none, and the last of the references. */
  follow(value: Value | undefined): { object: Value | Stream; ref: Ref | undefined } {
    let object: Value | Stream = value ?? null;
    let ref: Ref | undefined;
    for (let steps = 0; object instanceof Ref; steps += 1) {
      if (steps > MAX_DEPTH) throw damaged('references in a loop');
      ref = object;
      object = this.object(ref.num);
    }
    return { object, ref };
  }

  /** Returns the value that references lead to, which is the dictionary of a stream, or null when there is none. */
  resolve(value: Value | undefined): Value {
    const { object } = this.follow(value);
    return object instanceof Stream ? object.dict : object;
  }

  dictOf(value: Value | undefined): Dict | undefined {
    const found = this.resolve(value);
    return found instanceof Dict ? found : undefined;
  }

  nameOf(value: Value | undefined): string | undefined {
    const found = this.resolve(value);
    return found instanceof Name ? found.value : undefined;
  }

  /** Returns the object with this number from the newest revision, or null when there is none. */
  object(num: number): Value | Stream {
    const entry = this.crossReference.entries.get(num);
    if (!entry || entry.kind === 'free') return null;
    if (entry.kind === 'in') return this.#compressed(num, entry.stream);
    const found = new Parser(this.bytes, entry.offset, this.budget).object();
    if (found?.num !== num) throw damaged('an object is not where the cross-reference says');
    return found.value;
  }

  /** Returns the decoded content of a stream that a page draws. */
  contentOf(stream: Stream): Buffer {
    return decodedContent(this.#data(stream), stream.dict, this.budget, (value) => this.resolve(value));
  }

  #compressed(num: number, streamNum: number): Value {
    const { data, offsets } = this.#objectStream(streamNum);
    const offset = offsets.get(num);
    if (offset === undefined) throw damaged('an object is not in its object stream');
    return new Parser(data, offset, this.budget).value();
  }

  #objectStream(num: number): ObjectStream {
    const known = this.#objectStreams.get(num);
    if (known) return known;
    const entry = this.crossReference.entries.get(num);
    const stream = entry?.kind === 'at' ? this.object(num) : null; // an object stream is never inside another one
    if (!(stream instanceof Stream)) throw damaged('no object stream where one is expected');
    const data = decoded(this.#data(stream), stream.dict, this.budget);
    const opened = { data, offsets: this.#offsets(stream.dict, data) };
    this.#objectStreams.set(num, opened);
    return opened;
  }

  #offsets(dict: Dict, data: Buffer): ReadonlyMap<number, number> {
    const [count, first] = [dict.get('N'), dict.get('First')];
    if (!isCount(count) || !isCount(first) || count > data.length) throw damaged('an object stream without its numbers');
    const parser = new Parser(data, 0, this.budget);
    const offsets = new Map<number, number>();
    this.budget.spend('entries', count);
    for (let i = 0; i < count; i += 1) {
      const [num, offset] = [parser.integer(), parser.integer()];
      if (num === undefined || offset === undefined) throw damaged('an object stream without its offsets');
      offsets.set(num, first + offset);
    }
    return offsets;
  }

  #data({ dict, dataStart }: Stream): Buffer {
    const length = this.resolve(dict.get('Length'));
    if (!isCount(length) || dataStart + length > this.bytes.length) throw damaged('a stream without a length');
    return this.bytes.subarray(dataStart, dataStart + length);
  }
}
