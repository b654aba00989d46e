import { deflateSync } from 'node:zlib';
import type { PdfFile } from '../file/pdf-file.ts';
import { readPageTree } from '../file/pages.ts';
import { changed, type Update, writeRef } from '../file/update.ts';
import { Dict, Ref, Stream, type Value } from '../file/values.ts';
import { MAX_DEPTH } from '../limits.ts';
import { damaged } from '../refusal.ts';
import type { Box } from './text-blocks.ts';

/** Something that a PDF draws by a content stream: a page, a form XObject, or the appearance of an annotation. */
export interface Drawing {
  content: Buffer;
  resources: Dict | undefined;
  box: Box;
  /** Why no tag in it can be replaced, if so. */
  obstacle?: string | undefined;
  /** Writes the drawing with other content and other resources. */
  write(update: Update, content: Buffer, resources: string): void;
}

const LETTER = [0, 0, 612, 792];
/** The part of a page's width that stays free at its sides, and the space that stays free in a form. */
const PAGE_MARGIN = 0.04;
const FORM_MARGIN = 1;

/** Yields all drawings of a PDF, page by page: the page, the forms that it may draw, and its annotations. Each form comes once. */
export function* drawingsOf(file: PdfFile, pages: readonly Ref[] = readPageTree(file).pages): Generator<Drawing> {
  const seen: Seen = { forms: new Set(), resources: new Set(), resolve: resolvingOnce(file) };
  for (const ref of pages) {
    const page = file.dictOf(ref)!;
    const drawing = pageAt(file, ref, page, seen);
    yield drawing;
    yield* formsOf(file, drawing.resources, seen);
    for (const appearance of appearancesOf(file, page)) {
      for (const form of formAt(file, appearance, undefined, seen)) {
        yield form;
        yield* formsOf(file, form.resources, seen);
      }
    }
  }
}

/** What was read already, as many pages share it. */
interface Seen {
  forms: Set<number>;
  resources: Set<Dict>;
  resolve(this: void, value: Value | undefined): Value;
}

/** Returns a function that reads each object once: nodes of the page tree can be as long as the list of all pages. */
function resolvingOnce(file: PdfFile): Seen['resolve'] {
  const known = new Map<number, Value>();
  return (value) => {
    if (!(value instanceof Ref)) return value ?? null;
    const found = known.get(value.num) ?? file.resolve(value);
    known.set(value.num, found);
    return found;
  };
}

function pageAt(file: PdfFile, ref: Ref, page: Dict, { resolve }: Seen): Drawing {
  const resources = inherited(page, 'Resources', resolve);
  const corners = cornersOf(file, inherited(page, 'CropBox', resolve) ?? inherited(page, 'MediaBox', resolve));
  return {
    content: Buffer.concat([...contentsAt(file, page.get('Contents'))]),
    resources: resources instanceof Dict ? resources : undefined,
    box: { corners, margin: PAGE_MARGIN * (corners[2] - corners[0]) },
    write: (update, content, written) => {
      const stream = update.addStream('/Filter /FlateDecode', deflateSync(content));
      update.write(ref, changed(page, { Contents: writeRef(stream), Resources: written }));
    },
  };
}

/**
 * Yields the content of a page, with white space between its streams, as an operator may end with each of them. A page is written again
 * from what is read here, so anything else than streams is refused.
 */
function* contentsAt(file: PdfFile, contents: Value | undefined): Generator<Buffer> {
  const { object } = file.follow(contents);
  for (const part of Array.isArray(object) ? object : [contents]) {
    const { object: stream } = file.follow(part);
    if (stream === null) continue;
    if (!(stream instanceof Stream)) throw damaged('the content of a page is no stream');
    yield file.contentOf(stream);
    yield Buffer.from('\n');
  }
}

/** Yields the form XObjects of some resources, and those of their own resources. */
function* formsOf(file: PdfFile, resources: Dict | undefined, seen: Seen): Generator<Drawing> {
  const waiting = [resources];
  for (const next of waiting) {
    if (!next || seen.resources.has(next)) continue;
    seen.resources.add(next);
    for (const { value } of file.dictOf(next.get('XObject'))?.entries.values() ?? []) {
      for (const form of formAt(file, value, next, seen)) {
        yield form;
        waiting.push(form.resources);
      }
    }
  }
}

function* formAt(file: PdfFile, value: Value, parent: Dict | undefined, seen: Seen): Generator<Drawing> {
  if (!(value instanceof Ref) || seen.forms.has(value.num)) return;
  seen.forms.add(value.num);
  const { object: form, ref = value } = file.follow(value);
  if (!(form instanceof Stream) || (ref.num !== value.num && seen.forms.has(ref.num))) return;
  seen.forms.add(ref.num);
  const { dict } = form;
  const own = seen.resolve(dict.get('Resources'));
  const subtype = file.nameOf(dict.get('Subtype'));
  if (subtype !== 'Form' && (subtype !== undefined || parent)) return;
  yield {
    content: file.contentOf(form),
    resources: own instanceof Dict ? own : parent,
    box: { corners: cornersOf(file, dict.get('BBox')), margin: FORM_MARGIN },
    // Such a form is drawn with the resources of each page that draws it, and these can differ.
    obstacle: own instanceof Dict ? undefined : 'a form without resources of its own',
    write: (update, content, Resources) => {
      const data = deflateSync(content);
      const entries = { Length: String(data.length), Filter: '/FlateDecode', DecodeParms: undefined, Resources };
      update.write(ref, changed(dict, entries), '\nstream\n', data, '\nendstream');
    },
  };
}

/** Yields the normal appearances of a page's annotations: one for each, or one for each of its states. */
function* appearancesOf(file: PdfFile, page: Dict): Generator<Value> {
  const annotations = file.resolve(page.get('Annots'));
  for (const annotation of Array.isArray(annotations) ? annotations : []) {
    const normal = file.dictOf(file.dictOf(annotation)?.get('AP'))?.get('N');
    const { object } = file.follow(normal);
    if (object instanceof Stream && normal) yield normal;
    if (object instanceof Dict) for (const { value } of object.entries.values()) yield value;
  }
}

/** Returns an entry of a page, or of the nearest node above it that has the entry. */
function inherited(page: Dict, key: string, resolve: Seen['resolve']): Value | undefined {
  let node: Value = page;
  for (let depth = 0; node instanceof Dict && depth <= MAX_DEPTH; depth += 1) {
    const value = resolve(node.get(key));
    if (value !== null) return value;
    node = resolve(node.get('Parent'));
  }
  return undefined;
}

export function cornersOf(file: PdfFile, value: Value | undefined): Box['corners'] {
  const [a, b, c, d] = numbersOf(file, value, 4) ?? LETTER;
  return [Math.min(a!, c!), Math.min(b!, d!), Math.max(a!, c!), Math.max(b!, d!)];
}

/** Returns the numbers of an array, or undefined when these are not as many. */
export function numbersOf(file: PdfFile, value: Value | undefined, count: number): number[] | undefined {
  const items = file.resolve(value);
  const numbers = (Array.isArray(items) ? items : []).map((item) => file.resolve(item));
  return numbers.length === count && numbers.every((number) => typeof number === 'number') ? (numbers as number[]) : undefined;
}
