import { deflateSync } from 'node:zlib';
import type { PdfFile } from '../file/pdf-file.ts';
import { readPageTree } from '../file/pages.ts';
import { changed, type Update, writeRef } from '../file/update.ts';
import { Dict, Ref, Stream, type Value } from '../file/values.ts';
import { MOST_DEPTH } from '../limits.ts';
import type { Box } from './text-blocks.ts';

/** Something that a PDF draws by a content stream: a page, a form XObject, or the appearance of an annotation. */
export interface Drawing {
  content: Buffer;
  resources: Dict | undefined;
  box: Box;
  /** Writes the drawing with other content and other resources. */
  write(update: Update, content: Buffer, resources: string): void;
}

const LETTER = [0, 0, 612, 792];
/** The part of a page's width that stays free at its sides, and the space that stays free in a form. */
const PAGE_MARGIN = 0.04;
const FORM_MARGIN = 1;

/** Yields all drawings of a PDF, page by page: the page, the forms that it may draw, and its annotations. Each form comes once. */
export function* drawingsOf(file: PdfFile): Generator<Drawing> {
  const seen = new Set<number>();
  for (const ref of readPageTree(file).pages) {
    const page = file.dictOf(ref)!;
    const resources = file.dictOf(inherited(file, page, 'Resources'));
    yield pageAt(file, ref, page, resources);
    yield* formsOf(file, resources, seen);
    for (const appearance of appearancesOf(file, page)) {
      for (const form of formAt(file, appearance, undefined, seen)) {
        yield form;
        yield* formsOf(file, form.resources, seen);
      }
    }
  }
}

function pageAt(file: PdfFile, ref: Ref, page: Dict, resources: Dict | undefined): Drawing {
  const corners = cornersOf(file, inherited(file, page, 'CropBox') ?? inherited(file, page, 'MediaBox'));
  return {
    content: Buffer.concat([...contentsAt(file, page.get('Contents'))]),
    resources,
    box: { corners, margin: PAGE_MARGIN * (corners[2] - corners[0]) },
    write: (update, content, written) => {
      const stream = update.addStream('/Filter /FlateDecode', deflateSync(content));
      update.write(ref, changed(page, { Contents: writeRef(stream), Resources: written }));
    },
  };
}

/** Yields the content of a page, with white space between its streams, as an operator may end with each of them. */
function* contentsAt(file: PdfFile, contents: Value | undefined, depth = 0): Generator<Buffer> {
  const resolved = contents instanceof Ref ? file.object(contents.num) : contents;
  if (resolved instanceof Stream) {
    yield file.contentOf(resolved);
    yield Buffer.from('\n');
  }
  if (Array.isArray(resolved) && depth < 2) for (const part of resolved) yield* contentsAt(file, part, depth + 1);
}

/** Yields the form XObjects of some resources, and those of their own resources. */
function* formsOf(file: PdfFile, resources: Dict | undefined, seen: Set<number>): Generator<Drawing> {
  const waiting = [resources];
  for (const next of waiting) {
    for (const { value } of file.dictOf(next?.get('XObject'))?.entries.values() ?? []) {
      for (const form of formAt(file, value, next, seen)) {
        yield form;
        waiting.push(form.resources);
      }
    }
  }
}

function* formAt(file: PdfFile, value: Value, parent: Dict | undefined, seen: Set<number>): Generator<Drawing> {
  if (!(value instanceof Ref) || seen.has(value.num)) return;
  seen.add(value.num);
  const form = file.object(value.num);
  if (!(form instanceof Stream)) return;
  const { dict } = form;
  const subtype = file.nameOf(dict.get('Subtype'));
  if (subtype !== 'Form' && (subtype !== undefined || parent)) return;
  yield {
    content: file.contentOf(form),
    resources: file.dictOf(dict.get('Resources')) ?? parent,
    box: { corners: cornersOf(file, dict.get('BBox')), margin: FORM_MARGIN },
    write: (update, content, Resources) => {
      const data = deflateSync(content);
      const entries = { Length: String(data.length), Filter: '/FlateDecode', DecodeParms: undefined, Resources };
      update.write(value, changed(dict, entries), '\nstream\n', data, '\nendstream');
    },
  };
}

/** Yields the normal appearances of a page's annotations: one for each, or one for each of its states. */
function* appearancesOf(file: PdfFile, page: Dict): Generator<Value> {
  const annotations = file.resolve(page.get('Annots'));
  for (const annotation of Array.isArray(annotations) ? annotations : []) {
    const normal = file.dictOf(file.dictOf(annotation)?.get('AP'))?.get('N');
    const object = normal instanceof Ref ? file.object(normal.num) : normal;
    if (object instanceof Stream && normal) yield normal;
    if (object instanceof Dict) for (const { value } of object.entries.values()) yield value;
  }
}

/** Returns an entry of a page, or of the nearest node above it that has the entry. */
function inherited(file: PdfFile, page: Dict, key: string): Value | undefined {
  let node: Dict | undefined = page;
  for (let depth = 0; node && depth <= MOST_DEPTH; depth += 1) {
    const value = node.get(key);
    if (value !== undefined && file.resolve(value) !== null) return value;
    node = file.dictOf(node.get('Parent'));
  }
  return undefined;
}

function cornersOf(file: PdfFile, value: Value | undefined): Box['corners'] {
  const items = file.resolve(value);
  const numbers = (Array.isArray(items) ? items : []).map((item) => file.resolve(item));
  const [a, b, c, d] = numbers.length === 4 && numbers.every((number) => typeof number === 'number') ? (numbers as number[]) : LETTER;
  return [Math.min(a!, c!), Math.min(b!, d!), Math.max(a!, c!), Math.max(b!, d!)];
}
