import { Parser } from '../file/parser.ts';
import type { Value } from '../file/values.ts';
import type { Budget } from '../limits.ts';
import { PdfRefusal } from '../refusal.ts';

/** One operator of a content stream, with the values before it, and its position, so that all other bytes are kept as they are. */
export interface Operator {
  name: string;
  operands: readonly Value[];
  start: number;
  end: number;
}

const MAX_OPERANDS = 100_000;
const isWhite = (byte: number | undefined) => byte === undefined || byte <= 32;
const VALUE = 1;
const NUMBER = 2;
const FIRST = new Uint8Array(256);
for (const character of '/(<[') FIRST[character.charCodeAt(0)] = VALUE;
for (const character of '+-.0123456789') FIRST[character.charCodeAt(0)] = NUMBER;
const CONSTANTS = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Yields the operators of a content stream. The bytes of inline images are passed over. ISO 32000-1, 7.8.2. */
export function* operatorsOf(content: Buffer, budget: Budget): Generator<Operator> {
  const parser = new Parser(content, 0, budget);
  let operands: Value[] = [];
  let start = -1;
  for (;;) {
    parser.skipWhite();
    if (parser.at >= content.length) return;
    if (start < 0) start = parser.at;
    const read = nextToken(parser);
    if (read === undefined) continue;
    if (typeof read === 'string') {
      if (read === 'ID') parser.at = endOfImage(content, parser.at);
      yield { name: read, operands, start, end: parser.at };
      operands = [];
      start = -1;
    } else if (operands.push(read.value) > MAX_OPERANDS) throw new PdfRefusal('too_complex', 'an operator with too many operands');
  }
}

/** Returns an operand, or the name of an operator, or undefined for a character that is neither. */
function nextToken(parser: Parser): string | { value: Value } | undefined {
  const kind = FIRST[parser.bytes[parser.at]!];
  if (kind === NUMBER) return { value: parser.number() };
  if (kind === VALUE) return { value: parser.value() };
  const word = parser.word();
  if (word === '') {
    parser.at += 1; // a bracket that closes nothing
    return undefined;
  }
  const constant = CONSTANTS.get(word);
  return constant === undefined ? word : { value: constant };
}

/** Returns the end of an inline image: an `EI` between white space, with text behind it and not more of the image. */
function endOfImage(content: Buffer, at: number): number {
  for (let end = content.indexOf('EI', at); end >= 0; end = content.indexOf('EI', end + 1)) {
    if (isWhite(content[end - 1]) && isWhite(content[end + 2]) && isText(content.subarray(end + 2, end + 14))) return end + 2;
  }
  return content.length;
}

const isText = (bytes: Buffer) =>
  bytes.every((byte) => byte < 127 && (byte >= 32 || byte === 9 || byte === 10 || byte === 13 || byte === 0));
