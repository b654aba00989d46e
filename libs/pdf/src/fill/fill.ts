import { Update } from '../file/update.ts';
import type { PdfLimits } from '../limits.ts';
import { PdfRefusal } from '../refusal.ts';
import { embedFont } from '../signatures-page/embed-font.ts';
import { findTagged, type TaggedDrawing } from './find-tagged.ts';
import { layOut } from './lay-out.ts';
import { type PlacedValue, unplaced } from './line-task.ts';
import { namesIn, withFonts } from './resources.ts';
import { ValueTexts } from './value-text.ts';
import { writeContent } from './write-content.ts';

/** The longest value that is printed, the most values that may be given, and the most characters that are printed in all places. */
const LONGEST_VALUE = 10_000;
const MAX_VALUES = 10_000;
const MAX_CHARACTERS = 2_000_000;

/** Values by their tags. */
export type TagValues = ReadonlyMap<string, string> | Readonly<Record<string, string>>;

/**
 * Returns the PDF with each value tag replaced by its value. A tag without a value prints empty, and a PDF without tags comes back as it
 * is. The values are drawn where their tags stood, and are text whatever they contain. The result is an incremental update, so it can be
 * sealed like any other PDF. @spec D2-4.3.6
 */
export async function fill(pdf: Buffer, values: TagValues, limits: Partial<PdfLimits> = {}): Promise<Buffer> {
  const { file, drawings, fields, tags } = findTagged(pdf, limits);
  if (tags.size === 0) return pdf;
  const valueOf = reader(values);
  const filled = drawings.map((drawing) => ({ ...drawing, values: placedValues(drawing, valueOf) }));
  const printed = filled.flatMap(({ values }) => values.map(({ value }) => value));
  const written = [...printed, ...fields.flatMap(({ tags }) => tags.map(valueOf))];
  if (written.reduce((sum, { length }) => sum + length, 0) > MAX_CHARACTERS) {
    throw new PdfRefusal('too_complex', `values of more than ${MAX_CHARACTERS} characters`);
  }
  const texts = await ValueTexts.of(new Set(printed));
  for (const { drawing, text, values } of filled) layOut(text, values, drawing.box, { texts, budget: file.budget });
  const update = new Update(file);
  const contents = filled.map(({ drawing, text, values }) => {
    const names = namesIn(file, drawing.resources, texts.fonts);
    return { drawing, names, content: writeContent(drawing.content, text, values, names) };
  });
  const embedded = new Map(texts.fonts.map((font) => [font, embedFont(update, font)]));
  for (const { drawing, names, content } of contents) drawing.write(update, content, withFonts(file, drawing.resources, names, embedded));
  for (const field of fields) field.write(update, valueOf);
  const result = Buffer.concat([pdf, update.finish()]);
  const { filledBytes } = file.budget.limits;
  if (result.length > filledBytes) throw new PdfRefusal('too_large', `with its values, more than ${filledBytes} bytes`);
  return result;
}

function reader(values: TagValues): (tag: string) => string {
  const known: ReadonlyMap<string, string> = values instanceof Map ? values : new Map(Object.entries(values));
  if (known.size > MAX_VALUES) throw new PdfRefusal('too_complex', `more than ${MAX_VALUES} values`);
  return (tag) => {
    const value = known.get(tag) ?? '';
    if (value.length > LONGEST_VALUE) throw new PdfRefusal('overflow', `a value of more than ${LONGEST_VALUE} characters`);
    return value;
  };
}

/** Letters that share a glyph with a brace of the tag are printed with the value. */
const placedValues = ({ positions }: TaggedDrawing, valueOf: (tag: string) => string): PlacedValue[] =>
  positions.map((position) => unplaced(position, position.before + valueOf(position.tag) + position.after));
