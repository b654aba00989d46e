import { readPageTree } from '../file/pages.ts';
import { PdfFile } from '../file/pdf-file.ts';
import { findSignatures } from '../find-signatures.ts';
import type { PdfLimits } from '../limits.ts';
import { PdfRefusal } from '../refusal.ts';
import { type ContentText, readContentText } from './content-text.ts';
import { type Drawing, drawingsOf } from './drawings.ts';
import { hasOtherForm, type TaggedField, taggedFields } from './form-values.ts';
import { Fonts } from './resources.ts';
import { findTagPositions, type TagPosition } from './tag-positions.ts';

/** The most tags that one PDF may have, and the most places where they stand. */
const MAX_TAGS = 1000;
const MAX_POSITIONS = 10_000;

/** A drawing of a PDF that has tags. */
export interface TaggedDrawing {
  drawing: Drawing;
  text: ContentText;
  positions: readonly TagPosition[];
}

/** What of a PDF has tags. */
interface TaggedParts {
  file: PdfFile;
  drawings: readonly TaggedDrawing[];
  fields: readonly TaggedField[];
  /** The tags, each once, in the order of the pages. */
  tags: ReadonlySet<string>;
}

/** Finds the tags of a PDF. A signed file with tags is refused, as filling it would break its signatures. @spec D2-4.3.6 */
export function findTagged(pdf: Buffer, limits: Partial<PdfLimits> = {}): TaggedParts {
  const file = new PdfFile(pdf, limits);
  const fonts = new Fonts(file);
  const { pages } = readPageTree(file);
  const found = new TagCount();
  const drawings: TaggedDrawing[] = [];
  for (const drawing of drawingsOf(file, pages)) {
    const text = readContentText(drawing.content, fonts.of(drawing.resources));
    const positions = findTagPositions(text.glyphs);
    if (positions.length > 0 && drawing.obstacle) throw new PdfRefusal('unfillable', `a tag in ${drawing.obstacle}`);
    if (positions.length > 0) drawings.push({ drawing, text, positions });
    found.add(positions.map(({ tag }) => tag));
  }
  const fields = taggedFields(file, pages);
  for (const { tags } of fields) found.add(tags);
  if (found.tags.size > 0 && hasOtherForm(file)) throw new PdfRefusal('unfillable', 'tags in a file with a form of XFA');
  if (found.tags.size > 0 && findSignatures(pdf, limits).signatures.length > 0) throw new PdfRefusal('signed', 'tags in a signed file');
  return { file, drawings, fields, tags: found.tags };
}

/** Counts tags while they are found, so that a file with too many is not read to its end. */
class TagCount {
  readonly tags = new Set<string>();
  #positions = 0;

  add(tags: readonly string[]): void {
    for (const tag of tags) this.tags.add(tag);
    this.#positions += tags.length;
    if (this.tags.size > MAX_TAGS) throw new PdfRefusal('too_complex', `more than ${MAX_TAGS} tags`);
    if (this.#positions > MAX_POSITIONS) throw new PdfRefusal('too_complex', `tags in more than ${MAX_POSITIONS} places`);
  }
}
