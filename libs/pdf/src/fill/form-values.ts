import type { PdfFile } from '../file/pdf-file.ts';
import { changed, type Update, writeText } from '../file/update.ts';
import { type Dict, Ref, Text, type Value } from '../file/values.ts';
import { MOST_DEPTH } from '../limits.ts';
import { TAG } from './tag-places.ts';

/** A field of the document's form whose value has tags. Some readers draw the value by themselves, whatever its appearance shows. */
export interface TaggedField {
  tags: readonly string[];
  write(update: Update, valueOf: (tag: string) => string): void;
}

/** The entries of a field that have text: its value, and the one that it is reset to. */
const TEXTS = ['V', 'DV'];

/** Returns the fields whose values have tags, in the order of the form. */
export function taggedFields(file: PdfFile): TaggedField[] {
  const found: TaggedField[] = [];
  const seen = new Set<number>();
  const visit = (items: Value, depth: number): void => {
    for (const item of Array.isArray(items) && depth <= MOST_DEPTH ? items : []) {
      if (!(item instanceof Ref) || seen.has(item.num)) continue;
      seen.add(item.num);
      const field = file.dictOf(item);
      if (!field) continue;
      found.push(...fieldAt(file, item, field));
      visit(file.resolve(field.get('Kids')), depth + 1);
    }
  };
  visit(file.resolve(file.dictOf(file.root().dict.get('AcroForm'))?.get('Fields')), 0);
  return found;
}

function fieldAt(file: PdfFile, ref: Ref, field: Dict): TaggedField[] {
  const texts = TEXTS.flatMap((key) => {
    const value = file.resolve(field.get(key));
    return value instanceof Text ? [[key, value.toString()] as const] : [];
  });
  const tags = texts.flatMap(([, text]) => [...text.matchAll(TAG)].map(([, tag]) => tag!));
  if (tags.length === 0) return [];
  const write = (update: Update, valueOf: (tag: string) => string) => {
    const filled = texts.map(([key, text]) => [key, writeText(text.replace(TAG, (_, tag: string) => valueOf(tag)))]);
    update.write(ref, changed(field, Object.fromEntries(filled)));
  };
  return [{ tags, write }];
}
