import { Text, type Value } from '../file/values.ts';
import type { Operator } from './content-operators.ts';
import { type Bounds, type Matrix, times } from './matrix.ts';
import type { PageFont } from './page-font.ts';

/** The parameters of text that its operators set. ISO 32000-1, 9.3. */
export interface TextState {
  characterSpace: number;
  wordSpace: number;
  /** The horizontal scale: 1 is natural. */
  scale: number;
  leading: number;
  rise: number;
  /** How glyphs are painted. Nobody sees those of the modes 3 and 7. */
  mode: number;
  size: number;
  fontName: string;
  font?: PageFont | undefined;
}

export const FIRST_STATE: TextState = { characterSpace: 0, wordSpace: 0, scale: 1, leading: 0, rise: 0, mode: 0, size: 0, fontName: '' };

/** One glyph that a content stream shows. Positions are along the direction of its line, in units of the page. */
export interface Glyph {
  show: Show;
  code: number;
  length: number;
  text: string;
  at: number;
  advance: number;
  /** Where the glyph goes, and how much narrower it is drawn, when a value on its line moves it. */
  to?: number;
  stretch?: number;
  /** Whether the glyph is one of a tag's. */
  isTag?: boolean;
}

/** One operator that shows text: all of it in one font, on one baseline. */
export interface Show {
  operator: Operator;
  state: TextState;
  /** The direction of the line. */
  ux: number;
  uy: number;
  /** How far the baseline is from the origin, at a right angle to the direction. */
  base: number;
  /** Whether the lines below have a greater base: text that is mirrored. */
  isMirrored: boolean;
  /** The height of the text. */
  em: number;
  /** How many units of the page one unit of the text is. It is negative when the text has a negative size. */
  unit: number;
  start: number;
  end: number;
  /** Whether the pen is where the show before left it. */
  continues: boolean;
  glyphs: Glyph[];
  /** Where text can be seen here, in units of the page. */
  clip: Bounds;
  /** The marked content around the text that says what its text is. */
  spans: readonly Operator[];
}

/** Directions are told apart by a quarter of a degree, so that all angles that people choose are far from the next one. */
const DIRECTIONS = 1440;

/** Returns a number for the direction of a line: the same for angles that differ by rounding, or by a whole turn. */
export const directionOf = ({ ux, uy }: Show): number =>
  (Math.round((Math.atan2(uy, ux) / (2 * Math.PI)) * DIRECTIONS) + DIRECTIONS) % DIRECTIONS;

/** Whether nobody sees a text, as that which makes the picture of a scanned page searchable. */
export const isInvisible = ({ state: { mode } }: Show): boolean => mode === 3 || mode === 7;

export const isBlank = ({ text }: Glyph): boolean => text !== '' && text.trim() === '';

/** Measures the text of an operator. The width is in units of the text. */
export function measured(
  operator: Operator,
  items: readonly Value[],
  given: { state: TextState; textMatrix: Matrix; ctm: Matrix; clip: Bounds; continues: boolean; spans: readonly Operator[] },
): { show: Show; width: number } {
  const { state, textMatrix, ctm, clip, continues, spans } = given;
  const m = times([1, 0, 0, 1, 0, state.rise], times(textMatrix, ctm));
  const sign = Math.sign(state.size * state.scale) || 1;
  const length = Math.hypot(m[0], m[1]) || 1e-9;
  const [ux, uy] = [(m[0] / length) * sign, (m[1] / length) * sign];
  const start = m[4] * ux + m[5] * uy;
  const show: Show = {
    operator,
    state,
    ux,
    uy,
    base: m[5] * ux - m[4] * uy,
    isMirrored: m[0] * m[3] - m[1] * m[2] < 0 !== state.scale < 0,
    em: Math.abs(state.size) * Math.hypot(m[2], m[3]),
    unit: length * sign,
    start,
    end: start,
    continues,
    glyphs: [],
    clip,
    spans,
  };
  const width = addGlyphs(show, items);
  show.end = start + width * show.unit;
  return { show, width };
}

/** Adds the glyphs of an operator's strings to its show. Returns how far they move the pen. */
function addGlyphs(show: Show, items: readonly Value[]): number {
  const { characterSpace, wordSpace, scale, size, font } = show.state;
  let x = 0;
  for (const item of items) {
    if (typeof item === 'number') x -= (item / 1000) * size * scale;
    if (!(item instanceof Text) || !font) continue;
    for (const { code, length, text, width } of font.codesOf(item.bytes)) {
      const space = length === 1 && code === 32 ? wordSpace : 0;
      const advance = ((width / 1000) * size + characterSpace + space) * scale;
      show.glyphs.push({ show, code, length, text, at: show.start + x * show.unit, advance: advance * show.unit });
      x += advance;
    }
  }
  return x;
}
