import { PdfRefusal } from './refusal.ts';

/** The limits of reading one PDF. */
export interface PdfLimits {
  /** The size of the file itself. */
  bytes: number;
  /** The total size of all inflated object and cross-reference streams. */
  inflatedBytes: number;
  /** Entries of all cross-reference sections together. */
  entries: number;
  /** Cross-reference sections, one or two for each incremental update. */
  sections: number;
  pages: number;
  /** Values read: names, numbers, strings, arrays, dictionaries. */
  values: number;
}

const MB = 1024 * 1024;

export const PDF_LIMITS: Readonly<PdfLimits> = {
  bytes: 64 * MB,
  inflatedBytes: 96 * MB,
  entries: 500_000,
  sections: 500,
  pages: 5_000,
  values: 5_000_000,
};

/** How deep arrays and dictionaries may be nested. */
export const MOST_DEPTH = 64;

/** Counts what reading one file has cost, and throws when a limit is exceeded. */
export class Budget {
  readonly limits: PdfLimits;
  #spent = { inflatedBytes: 0, entries: 0, sections: 0, pages: 0, values: 0 };

  constructor(limits: Partial<PdfLimits> = {}) {
    this.limits = { ...PDF_LIMITS, ...limits };
  }

  /** How many bytes may still be inflated. */
  get inflatable(): number {
    return this.limits.inflatedBytes - this.#spent.inflatedBytes;
  }

  spend(what: Exclude<keyof PdfLimits, 'bytes'>, amount: number): void {
    this.#spent[what] += amount;
    if (this.#spent[what] > this.limits[what]) throw new PdfRefusal('too_complex', `more than ${this.limits[what]} ${what}`);
  }
}
