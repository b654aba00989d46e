import type { PdfFile } from '../file/pdf-file.ts';
import { Dict, Name, type Value } from '../file/values.ts';
import { PdfRefusal } from '../refusal.ts';
import { operatorsOf, type Operator } from './content-operators.ts';
import { type Bounds, boundsOf, EVERYWHERE, IDENTITY, type Matrix, moved, overlap, type Point, times } from './matrix.ts';
import type { PageFont } from './page-font.ts';
import { RuledLines } from './ruled-lines.ts';
import { FIRST_STATE, type Glyph, measured, type Show, type TextState } from './shown-text.ts';

/** How much text one content stream may show, and how deep its graphics states may be nested. */
const MAX_GLYPHS = 200_000;
const MAX_STATES = 10_000;

/** The text of a content stream in the order in which it is shown, and what is drawn between it. */
export interface ContentText {
  shows: readonly Show[];
  glyphs: readonly Glyph[];
  lines: RuledLines;
  /** Where pictures and forms are drawn. */
  areas: readonly Bounds[];
}

/** The rectangle of a picture or of a form in its own units, and how these become units of what draws it. */
export interface Area {
  corners: Bounds;
  matrix: Matrix;
}

/** What a content stream refers to by name. */
export interface ContentResources {
  file: PdfFile;
  fontOf(name: string): PageFont | undefined;
  areaOf(name: string): Area | undefined;
  /** Whether a graphics state sets the font too, and a property list says what a text is. */
  setsFont(state: string): boolean;
  saysText(properties: string): boolean;
}

/** Reads what a content stream shows, and where. ISO 32000-1, 9.4. */
export function readContentText(content: Buffer, resources: ContentResources): ContentText {
  const reader = new Reader(resources);
  for (const operator of operatorsOf(content, resources.file.budget)) reader.run(operator);
  return { shows: reader.shows, glyphs: reader.glyphs, lines: reader.lines, areas: reader.areas };
}

const numberOf = (value: Value | undefined) => (typeof value === 'number' ? value : 0);
const nameOf = (value: Value | undefined) => (value instanceof Name ? value.value : '');

class Reader {
  readonly shows: Show[] = [];
  readonly glyphs: Glyph[] = [];
  readonly lines = new RuledLines();
  readonly areas: Bounds[] = [];
  readonly #stack: { ctm: Matrix; state: TextState; clip: Bounds }[] = [];
  readonly #spans: (Operator | undefined)[] = [];
  #saying: readonly Operator[] = [];
  #continues = false;
  #textMatrix = IDENTITY;
  #lineMatrix = IDENTITY;
  state: TextState = FIRST_STATE;
  ctm = IDENTITY;
  /** Where something that is drawn now can be seen. */
  clip = EVERYWHERE;

  constructor(readonly resources: ContentResources) {}

  run(operator: Operator): void {
    OPERATORS.get(operator.name)?.(this, operator.operands, operator);
  }

  set(change: Partial<TextState>): void {
    this.state = { ...this.state, ...change };
  }

  save(): void {
    if (this.#stack.length >= MAX_STATES) throw new PdfRefusal('too_complex', 'graphics states nested too deep');
    this.#stack.push({ ctm: this.ctm, state: this.state, clip: this.clip });
  }

  restore(): void {
    const saved = this.#stack.pop();
    if (saved) Object.assign(this, saved);
  }

  startLine(matrix: Matrix): void {
    this.#lineMatrix = matrix;
    this.#textMatrix = matrix;
    this.#continues = false;
  }

  moveLine(x: number, y: number): void {
    this.startLine(moved(x, y, this.#lineMatrix));
  }

  show(operator: Operator, items: readonly Value[]): void {
    const { state, ctm, clip } = this;
    const given = { state, ctm, clip, textMatrix: this.#textMatrix, continues: this.#continues, spans: this.#saying };
    const { show, width } = measured(operator, items, given);
    this.#textMatrix = moved(width, 0, this.#textMatrix);
    this.#continues = true;
    this.shows.push(show);
    for (const glyph of show.glyphs) this.glyphs.push(glyph);
    if (this.glyphs.length > MAX_GLYPHS) throw new PdfRefusal('too_complex', `more than ${MAX_GLYPHS} glyphs in one content stream`);
  }

  /** Notes where a picture or a form is drawn. */
  draw(name: string): void {
    const area = this.resources.areaOf(name);
    if (area) this.areas.push(overlap(boundsOf(area.corners, times(area.matrix, this.ctm)), this.clip));
  }

  openSpan(operator: Operator | undefined): void {
    if (this.#spans.length >= MAX_STATES) throw new PdfRefusal('too_complex', 'marked content nested too deep');
    this.#spans.push(operator);
    if (operator) this.#saying = [...this.#saying.slice(-7), operator];
  }

  closeSpan(): void {
    const closed = this.#spans.pop();
    if (closed) this.#saying = this.#saying.filter((operator) => operator !== closed);
  }
}

type Run = (reader: Reader, operands: Operator['operands'], operator: Operator) => void;

const setter =
  (change: (value: number) => Partial<TextState>): Run =>
  (reader, [value]) =>
    reader.set(change(numberOf(value)));

const nextLine = (reader: Reader) => reader.moveLine(0, -reader.state.leading);
const matrixOf = (operands: Operator['operands']) => Array.from({ length: 6 }, (_, nth) => numberOf(operands[nth])) as unknown as Matrix;
const pointsOf = (operands: Operator['operands']) =>
  operands.flatMap((x, nth): Point[] => (nth % 2 === 0 ? [[numberOf(x), numberOf(operands[nth + 1])]] : []));
const painting: Run = (reader) => (reader.clip = overlap(reader.clip, reader.lines.paint()));
const curving: Run = (reader, operands) => reader.lines.curveTo(pointsOf(operands), reader.ctm);
const clipping: Run = (reader) => reader.lines.clip();

const OPERATORS: ReadonlyMap<string, Run> = new Map<string, Run>([
  ['q', (reader) => reader.save()],
  ['Q', (reader) => reader.restore()],
  ['cm', (reader, operands) => (reader.ctm = times(matrixOf(operands), reader.ctm))],
  ['gs', (reader, [name]) => reader.resources.setsFont(nameOf(name)) && reader.set({ font: undefined })],
  ['BT', (reader) => reader.startLine(IDENTITY)],
  [
    'Tf',
    (reader, [name, size]) => reader.set({ fontName: nameOf(name), size: numberOf(size), font: reader.resources.fontOf(nameOf(name)) }),
  ],
  ['Tc', setter((characterSpace) => ({ characterSpace }))],
  ['Tw', setter((wordSpace) => ({ wordSpace }))],
  ['Tz', setter((percent) => ({ scale: percent / 100 }))],
  ['TL', setter((leading) => ({ leading }))],
  ['Ts', setter((rise) => ({ rise }))],
  ['Tr', setter((mode) => ({ mode }))],
  ['Td', (reader, [x, y]) => reader.moveLine(numberOf(x), numberOf(y))],
  [
    'TD',
    (reader, [x, y]) => {
      reader.set({ leading: -numberOf(y) });
      reader.moveLine(numberOf(x), numberOf(y));
    },
  ],
  ['Tm', (reader, operands) => reader.startLine(matrixOf(operands))],
  ['T*', nextLine],
  ['Tj', (reader, operands, operator) => reader.show(operator, operands.slice(-1))],
  [
    'TJ',
    (reader, operands, operator) => {
      const items = operands.at(-1);
      reader.show(operator, Array.isArray(items) ? items : []);
    },
  ],
  [
    "'",
    (reader, operands, operator) => {
      nextLine(reader);
      reader.show(operator, operands.slice(-1));
    },
  ],
  [
    '"',
    (reader, operands, operator) => {
      reader.set({ wordSpace: numberOf(operands[0]), characterSpace: numberOf(operands[1]) });
      nextLine(reader);
      reader.show(operator, operands.slice(-1));
    },
  ],
  ['Do', (reader, [name]) => reader.draw(nameOf(name))],
  ['BMC', (reader) => reader.openSpan(undefined)],
  ['BDC', (reader, [, properties], operator) => reader.openSpan(saysText(reader, properties) ? operator : undefined)],
  ['EMC', (reader) => reader.closeSpan()],
  ['m', (reader, [x, y]) => reader.lines.moveTo(numberOf(x), numberOf(y), reader.ctm)],
  ['l', (reader, [x, y]) => reader.lines.lineTo(numberOf(x), numberOf(y), reader.ctm)],
  ['re', (reader, [x, y, w, h]) => reader.lines.rectangle([numberOf(x), numberOf(y), numberOf(w), numberOf(h)], reader.ctm)],
  ['h', (reader) => reader.lines.close()],
  ['n', (reader) => (reader.clip = overlap(reader.clip, reader.lines.discard()))],
  ...['c', 'v', 'y'].map((name) => [name, curving] as const),
  ...['W', 'W*'].map((name) => [name, clipping] as const),
  ...['S', 's', 'f', 'F', 'f*', 'B', 'B*', 'b', 'b*'].map((name) => [name, painting] as const),
]);

function saysText(reader: Reader, properties: Value | undefined): boolean {
  if (properties instanceof Dict) return properties.entries.has('ActualText');
  return properties instanceof Name && reader.resources.saysText(properties.value);
}
