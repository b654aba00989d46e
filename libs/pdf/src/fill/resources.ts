import type { PdfFile } from '../file/pdf-file.ts';
import { changed, writeRef } from '../file/update.ts';
import { type Dict, Ref, type Value } from '../file/values.ts';
import type { SubsetFont } from '../signatures-page/fonts.ts';
import type { Area, ContentResources } from './content-text.ts';
import { cornersOf, numbersOf } from './drawings.ts';
import { IDENTITY, type Matrix } from './matrix.ts';
import { type PageFont, readFont } from './page-font.ts';
import type { FontNames } from './write-content.ts';

/** Reads the fonts of a PDF, each once. */
export class Fonts {
  readonly #file: PdfFile;
  readonly #known = new Map<number, PageFont | undefined>();
  readonly #resources = new Map<Dict | undefined, ContentResources>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Returns what a content stream with these resources refers to. */
  of(resources: Dict | undefined): ContentResources {
    return remembered(this.#resources, resources, () => this.#contentResources(resources));
  }

  #contentResources(resources: Dict | undefined): ContentResources {
    const file = this.#file;
    const drawn = file.dictOf(resources?.get('XObject'));
    const areas = new Map<string, Area | undefined>();
    const fonts = file.dictOf(resources?.get('Font'));
    const states = file.dictOf(resources?.get('ExtGState'));
    const properties = file.dictOf(resources?.get('Properties'));
    const own = new Map<string, PageFont | undefined>();
    return {
      file,
      fontOf: (name) => {
        const value = fonts?.get(name);
        if (value instanceof Ref) return remembered(this.#known, value.num, () => this.#read(file.dictOf(value)));
        return remembered(own, name, () => this.#read(file.dictOf(value)));
      },
      areaOf: (name) => remembered(areas, name, () => areaOf(file, drawn?.get(name))),
      setsFont: (name) => file.dictOf(states?.get(name))?.entries.has('Font') ?? false,
      saysText: (name) => file.dictOf(properties?.get(name))?.entries.has('ActualText') ?? false,
    };
  }

  #read(dict: Dict | undefined): PageFont | undefined {
    return dict && readFont(this.#file, dict);
  }
}

const UNIT_SQUARE = [0, 0, 1, 1] as const;

/** Returns where a picture or a form is drawn: a picture in the unit square. ISO 32000-1, 8.9.5 and 8.10. */
function areaOf(file: PdfFile, value: Value | undefined): Area | undefined {
  const dict = file.dictOf(value);
  const subtype = file.nameOf(dict?.get('Subtype'));
  if (subtype === 'Image') return { corners: UNIT_SQUARE, matrix: IDENTITY };
  if (!dict || subtype !== 'Form') return undefined;
  const matrix = numbersOf(file, dict.get('Matrix'), 6) as Matrix | undefined;
  return { corners: cornersOf(file, dict.get('BBox')), matrix: matrix ?? IDENTITY };
}

function remembered<K, V>(known: Map<K, V>, key: K, read: () => V): V {
  if (!known.has(key)) known.set(key, read());
  return known.get(key)!;
}

/** Returns names for the fonts of the values that the resources do not use yet. */
export function namesIn(file: PdfFile, resources: Dict | undefined, fonts: readonly SubsetFont[]): FontNames {
  const taken = file.dictOf(resources?.get('Font'));
  let number = 0;
  const free = () => {
    while (taken?.entries.has(`Value${number}`)) number += 1;
    number += 1;
    return `Value${number - 1}`;
  };
  return new Map(fonts.map((font) => [font, free()]));
}

/** Returns the resources with the fonts of the values added. */
export function withFonts(file: PdfFile, resources: Dict | undefined, names: FontNames, embedded: ReadonlyMap<SubsetFont, Ref>): string {
  const added = Object.fromEntries([...names].map(([font, name]) => [name, writeRef(embedded.get(font)!)]));
  const known = file.dictOf(resources?.get('Font'));
  const listed = Object.entries(added).map(([name, ref]) => `/${name} ${ref}`);
  const fonts = known ? changed(known, added).toString('latin1') : `<< ${listed.join(' ')} >>`;
  return resources ? changed(resources, { Font: fonts }).toString('latin1') : `<< /Font ${fonts} >>`;
}
