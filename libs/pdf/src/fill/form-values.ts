import type { PdfFile } from '../file/pdf-file.ts';
import { changed, type Update, writeText } from '../file/update.ts';
import { type Dict, Ref, Text, type Value } from '../file/values.ts';
import { MAX_DEPTH } from '../limits.ts';
import { TAG } from './tag-positions.ts';

/** A form field or an annotation whose text has tags: some readers draw or list it, whatever the appearance shows. */
export interface TaggedField {
  tags: readonly string[];
  write(update: Update, valueOf: (tag: string) => string): void;
}

/** The entries that have text: the value of a field, the one that it is reset to, and the text of an annotation. */
const TEXTS = ['V', 'DV', 'Contents'];
/** The same texts with formatting. They are removed where a text has a tag, as they are optional. */
const FORMATTED = { RV: undefined, RC: undefined };

/** Returns the fields and annotations whose texts have tags, in the order of the form and of the pages. */
export function taggedFields(file: PdfFile, pages: readonly Ref[]): TaggedField[] {
  const found: TaggedField[] = [];
  const seen = new Set<number>();
  const visit = (items: Value, depth: number): void => {
    for (const item of Array.isArray(items) && depth <= MAX_DEPTH ? items : []) {
      if (!(item instanceof Ref) || seen.has(item.num)) continue;
      seen.add(item.num);
      const field = file.dictOf(item);
      if (!field) continue;
      found.push(...fieldAt(file, item, field));
      visit(file.resolve(field.get('Kids')), depth + 1);
    }
  };
  visit(file.resolve(formOf(file)?.get('Fields')), 0);
  for (const page of pages) visit(file.resolve(file.dictOf(page)?.get('Annots')), 0);
  return found;
}

/** Whether the form has a second form of another language (XFA), which some readers show instead. */
export const hasOtherForm = (file: PdfFile): boolean => file.resolve(formOf(file)?.get('XFA')) !== null;

const formOf = (file: PdfFile) => file.dictOf(file.root().dict.get('AcroForm'));

function fieldAt(file: PdfFile, ref: Ref, field: Dict): TaggedField[] {
  const texts = TEXTS.flatMap((key) => {
    const value = file.resolve(field.get(key));
    return value instanceof Text ? [[key, value.toString()] as const] : [];
  });
  const tags = texts.flatMap(([, text]) => [...text.matchAll(TAG)].map(([, tag]) => tag!));
  if (tags.length === 0) return [];
  const write = (update: Update, valueOf: (tag: string) => string) => {
    const filled = texts.map(([key, text]) => [key, writeText(text.replace(TAG, (_, tag: string) => valueOf(tag)))]);
    update.write(ref, changed(field, { ...FORMATTED, ...Object.fromEntries(filled) }));
  };
  return [{ tags, write }];
}
