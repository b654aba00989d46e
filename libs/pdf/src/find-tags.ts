import { Parser } from './file/parser.ts';
import { PdfFile } from './file/pdf-file.ts';
import { readPageTree } from './file/pages.ts';
import { Dict, Ref, Stream, Text, type Value } from './file/values.ts';
import type { PdfLimits } from './limits.ts';
import { PdfRefusal } from './refusal.ts';

/** The most tags that one PDF may have. */
const MOST_TAGS = 1000;
/** A slug or a constant, or a key of a plugin answer, which has up to three parts (`slug.block.id`). */
const TAG = /\{\{\s*([A-Za-z][A-Za-z0-9_-]{0,63}(?:\.[A-Za-z0-9_-]{1,64}){0,2})\s*\}\}/g;

/**
 * Returns the value tags of a PDF (`{{slug}}`), each once, in the order of its pages. A tag counts only when it stands whole in one string
 * of a content stream, in letters of one byte. A tag that a program has split into pieces, or written in the glyphs of its own font, is not
 * found. @spec D2-4.3.6
 */
export function findTags(pdf: Buffer, limits: Partial<PdfLimits> = {}): string[] {
  const file = new PdfFile(pdf, limits);
  const tags = new Set<string>();
  for (const content of shownContents(file)) {
    for (const text of stringsIn(content, file)) {
      for (const [, tag] of text.toString('latin1').matchAll(TAG)) tags.add(tag!);
      if (tags.size > MOST_TAGS) throw new PdfRefusal('too_complex', `more than ${MOST_TAGS} tags`);
    }
  }
  return [...tags];
}

/** Yields what is drawn on the pages: their own contents, and the form XObjects that they draw. */
function* shownContents(file: PdfFile): Generator<Buffer> {
  const seen = new Set<number>();
  const { nodes, pages } = readPageTree(file);
  for (const page of pages) yield* contentsAt(file, file.dictOf(page)?.get('Contents'));
  for (const node of nodes) yield* formsOf(file, file.dictOf(node), seen);
}

function* contentsAt(file: PdfFile, contents: Value | undefined): Generator<Buffer> {
  const resolved = contents instanceof Ref ? file.object(contents.num) : contents;
  if (resolved instanceof Stream) yield file.contentOf(resolved);
  if (Array.isArray(resolved)) for (const part of resolved) if (part instanceof Ref) yield* contentsAt(file, part);
}

/** Yields the contents of the form XObjects below a drawing. Forms can draw other forms, so each form is read once. */
function* formsOf(file: PdfFile, drawing: Dict | undefined, seen: Set<number>): Generator<Buffer> {
  const waiting = [drawing];
  for (const next of waiting) {
    const drawn = file.dictOf(file.dictOf(next?.get('Resources'))?.get('XObject'));
    for (const { value } of drawn?.entries.values() ?? []) {
      if (!(value instanceof Ref) || seen.has(value.num)) continue;
      seen.add(value.num);
      const form = file.object(value.num);
      if (!(form instanceof Stream) || file.nameOf(form.dict.get('Subtype')) !== 'Form') continue;
      yield file.contentOf(form);
      waiting.push(form.dict);
    }
  }
}

const [OPEN, LESS, PERCENT] = [...'(<%'].map((character) => character.charCodeAt(0));
const INLINE_IMAGE = Buffer.from('ID');
const isWhite = (byte: number | undefined) => byte === undefined || byte <= 32;

/** Yields the strings of a content stream, whichever operator shows them. The bytes of inline images are skipped. */
function* stringsIn(content: Buffer, file: PdfFile): Generator<Buffer> {
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at];
    if (byte === PERCENT) at = endOfLine(content, at);
    else if (byte === LESS && content[at + 1] === LESS) at += 1;
    else if (byte === OPEN || byte === LESS) {
      const parser = new Parser(content, at, file.budget);
      const value = parser.value();
      if (value instanceof Text) yield value.bytes;
      at = parser.at - 1;
    } else if (isInlineImage(content, at)) at = endOfImage(content, at);
  }
}

function endOfLine(content: Buffer, at: number): number {
  let end = at;
  while (end < content.length && content[end] !== 10 && content[end] !== 13) end += 1;
  return end;
}

const isInlineImage = (content: Buffer, at: number): boolean =>
  content[at] === INLINE_IMAGE[0] && content[at + 1] === INLINE_IMAGE[1] && isWhite(content[at - 1]) && isWhite(content[at + 2]);

function endOfImage(content: Buffer, at: number): number {
  let end = content.indexOf('EI', at);
  while (end >= 0 && !(isWhite(content[end - 1]) && isWhite(content[end + 2]))) end = content.indexOf('EI', end + 1);
  return end < 0 ? content.length : end + 1;
}
