import { writeName, writeText } from '../file/update.ts';
import { Dict, Name } from '../file/values.ts';
import type { Glyph as ShapedGlyph, SubsetFont } from '../signatures-page/fonts.ts';
import type { ContentText } from './content-text.ts';
import type { Operator } from './content-operators.ts';
import { LEADING, type PlacedValue } from './line-task.ts';
import type { Glyph, Show } from './shown-text.ts';

/** How the content refers to the fonts of the values. */
export type FontNames = ReadonlyMap<SubsetFont, string>;

interface Edit {
  start: number;
  end: number;
  text: string;
}

/** Text that is moved by less than this, in units of the page, stays as it is. */
const UNSEEN = 0.001;

/** Returns a content stream with its tags replaced. Operators that no value touches keep their bytes. */
export function writeContent(content: Buffer, text: ContentText, values: readonly PlacedValue[], names: FontNames): Buffer {
  const starting = new Map(values.map((value) => [value.position.glyphs[0]!, value]));
  const edits: Edit[] = [];
  let offset = 0; // how far the pen is from where it was
  for (const show of text.shows) {
    if (!show.continues) offset = 0;
    if (Math.abs(offset) < UNSEEN && !isTouched(show)) continue;
    const writer = new ShowWriter(show, offset, names);
    const { start, end } = show.operator;
    edits.push({ start, end, text: writer.write(starting, content.toString('latin1', start, end)) });
    offset = writer.pen - show.end;
  }
  const spans = new Set(values.flatMap(({ position }) => position.glyphs.flatMap(({ show }) => show.spans)));
  for (const span of spans) edits.push({ start: span.start, end: span.end, text: withoutText(span) });
  return edited(content, edits);
}

const isTouched = ({ glyphs }: Show) =>
  glyphs.some(({ isTag, at, to, stretch }) => isTag || (to !== undefined && Math.abs(to - at) > UNSEEN) || (stretch ?? 1) !== 1);

function edited(content: Buffer, edits: readonly Edit[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(content.subarray(at, start), Buffer.from(` ${text} `, 'latin1'));
    at = end;
  }
  return Buffer.concat([...parts, content.subarray(at)]);
}

/** Opens marked content without the text that it says to have, which has the tag in it. What links it to the structure is kept. */
function withoutText({ operands: [tag, properties] }: Operator): string {
  const name = writeName(tag instanceof Name ? tag.value : 'Span');
  const id = properties instanceof Dict ? properties.get('MCID') : undefined;
  return typeof id === 'number' ? `${name} << /MCID ${id} >> BDC` : `${name} BMC`;
}

/** Writes an operator that shows text again, with its glyphs at their new positions and its values in between. */
class ShowWriter {
  /** Where the pen is, in units of the page along the line. */
  pen: number;
  readonly #show: Show;
  readonly #names: FontNames;
  readonly #out: string[] = [];
  /** The parts of the array that is shown next, and the glyphs that have not become such a part yet. */
  #array: string[] = [];
  #codes = '';
  #stretch = 1;

  constructor(show: Show, offset: number, names: FontNames) {
    this.#show = show;
    this.#names = names;
    this.pen = show.start + offset;
  }

  write(starting: ReadonlyMap<Glyph, PlacedValue>, original: string): string {
    const { operator, state, glyphs } = this.#show;
    if (!state.font) return this.#moveOnly(original);
    if (operator.name === '"') this.#out.push(`${precise(state.wordSpace)} Tw ${precise(state.characterSpace)} Tc`);
    if (operator.name === '"' || operator.name === "'") this.#out.push('T*');
    for (const glyph of glyphs) {
      const value = starting.get(glyph);
      if (value) this.#value(value);
      if (!glyph.isTag) this.#glyph(glyph);
    }
    this.#stretchTo(1);
    this.#flush();
    return this.#out.join(' ');
  }

  /** Text in a font that is missing is not known: it is only moved to where it was. */
  #moveOnly(original: string): string {
    this.#moveTo(this.#show.start);
    this.#flush();
    return [...this.#out, original].join(' ');
  }

  #glyph({ code, length, advance, at, to = at, stretch = 1 }: Glyph): void {
    this.#stretchTo(stretch);
    this.#moveTo(to);
    this.#codes += code.toString(16).padStart(2 * length, '0');
    this.pen += advance * stretch;
  }

  #stretchTo(stretch: number): void {
    if (Math.abs(stretch - this.#stretch) < 1e-6) return;
    this.#flush();
    this.#stretch = stretch;
    this.#out.push(`${precise(this.#show.state.scale * stretch * 100)} Tz`);
  }

  #moveTo(position: number): void {
    if (Math.abs(position - this.pen) < UNSEEN) return;
    this.#kern((this.pen - position) / this.#unit(this.#show.state.size));
    this.pen = position;
  }

  /** Returns how many units of the page a thousandth of a font size is. */
  #unit(size: number): number {
    const { state, unit } = this.#show;
    return (size * state.scale * this.#stretch * unit) / 1000;
  }

  /** Moves the pen back by thousandths of the font size. */
  #kern(amount: number): void {
    this.#flushCodes();
    this.#array.push(precise(amount));
  }

  #flushCodes(): void {
    if (this.#codes) this.#array.push(`<${this.#codes}>`);
    this.#codes = '';
  }

  #flush(): void {
    this.#flushCodes();
    if (this.#array.length > 0) this.#out.push(`[${this.#array.join(' ')}] TJ`);
    this.#array = [];
  }

  /** Draws a value in its own font. Other lines than the first are lower, which a rise says, so that the line itself stays where it is. */
  #value({ lines, size: part, stretch, to }: PlacedValue): void {
    if (lines.every(({ runs }) => runs.length === 0)) return;
    const { state } = this.#show;
    const size = state.size * part;
    this.#stretchTo(stretch);
    this.#moveTo(to);
    this.#flush();
    if (state.characterSpace !== 0) this.#out.push('0 Tc');
    let widest = 0;
    lines.forEach((line, nth) => {
      this.#line(line, size, state.rise - nth * LEADING * size);
      widest = Math.max(widest, line.width);
      if (nth < lines.length - 1) this.#out.push(`[${precise(line.width)}] TJ`);
    });
    this.pen = to + lines.at(-1)!.width * this.#unit(size);
    this.#out.push(`${writeName(state.fontName)} ${precise(state.size)} Tf`);
    if (state.characterSpace !== 0) this.#out.push(`${precise(state.characterSpace)} Tc`);
    if (lines.length > 1) this.#out.push(`${precise(state.rise)} Ts`);
  }

  /** Draws one line of a value, and gives its text beside it where the font alone does not tell the text of its glyphs. */
  #line({ text, runs }: PlacedValue['lines'][number], size: number, rise: number): void {
    const isNoted = runs.every(({ font, glyphs }) => glyphs.every((glyph) => font.texts.get(glyph.id) === glyph.text));
    if (!isNoted) this.#out.push(`/Span << /ActualText ${writeText(text)} >> BDC`);
    if (rise !== this.#show.state.rise) this.#out.push(`${precise(rise)} Ts`);
    for (const { font, glyphs } of runs) {
      this.#out.push(`/${this.#names.get(font)} ${precise(size)} Tf`);
      this.#shaped(glyphs, size, rise);
    }
    if (!isNoted) this.#out.push('EMC');
  }

  /** Shows shaped glyphs. Some are drawn beside or above their place in the text, as the marks of many scripts are. */
  #shaped(glyphs: readonly ShapedGlyph[], size: number, rise: number): void {
    let height = 0;
    for (const { id, width, advance, dx, dy } of glyphs) {
      if (Math.abs(dy - height) > 0.5) {
        this.#flush();
        height = dy;
        this.#out.push(`${precise(rise + (dy * size) / 1000)} Ts`);
      }
      if (Math.abs(dx) > 0.5) this.#kern(-dx);
      this.#codes += id.toString(16).padStart(4, '0');
      const back = width + dx - advance;
      if (Math.abs(back) > 0.5) this.#kern(back);
    }
    this.#flush();
    if (height !== 0) this.#out.push(`${precise(rise)} Ts`);
  }
}

/** Writes a number with five digits behind its point, and never with an exponent, which PDF does not have. */
function precise(value: number): string {
  const rounded = Math.round(value * 1e5) / 1e5;
  return Math.abs(rounded) < 1e15 ? String(Math.abs(rounded) < 1e-4 ? 0 : rounded) : '0';
}
