import type { PdfFile } from '../file/pdf-file.ts';
import { changed, writeRef } from '../file/update.ts';
import { type Dict, Ref } from '../file/values.ts';
import type { SubsetFont } from '../signatures-page/fonts.ts';
import type { ContentResources } from './content-text.ts';
import { type PageFont, readFont } from './page-font.ts';
import type { FontNames } from './write-content.ts';

/** Reads the fonts of a PDF, each once. */
export class Fonts {
  readonly #file: PdfFile;
  readonly #known = new Map<number, PageFont | undefined>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** Returns what a content stream with these resources refers to. */
  of(resources: Dict | undefined): ContentResources {
    const file = this.#file;
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
      setsFont: (name) => file.dictOf(states?.get(name))?.entries.has('Font') ?? false,
      saysText: (name) => file.dictOf(properties?.get(name))?.entries.has('ActualText') ?? false,
    };
  }

  #read(dict: Dict | undefined): PageFont | undefined {
    return dict && readFont(this.#file, dict);
  }
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
