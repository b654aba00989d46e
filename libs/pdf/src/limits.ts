import { PdfRefusal } from './refusal.ts';

/** The limits of reading and filling one PDF. */
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
  /** How often the place of a value is compared with something else on its page. */
  comparisons: number;
  /** The size of the file with its values filled in. */
  filledBytes: number;
}

const MB = 1024 * 1024;

export const PDF_LIMITS: Readonly<PdfLimits> = {
  bytes: 64 * MB,
  inflatedBytes: 96 * MB,
  entries: 500_000,
  sections: 500,
  pages: 5_000,
  values: 5_000_000,
  comparisons: 50_000_000,
  filledBytes: 64 * MB,
};

/** How deep arrays and dictionaries may be nested. */
export const MAX_DEPTH = 64;

/** Counts what one file has cost, and throws when a limit is exceeded. */
export class Budget {
  readonly limits: PdfLimits;
  #spent = { inflatedBytes: 0, entries: 0, sections: 0, pages: 0, values: 0, comparisons: 0 };

  constructor(limits: Partial<PdfLimits> = {}) {
    this.limits = { ...PDF_LIMITS, ...limits };
  }

  /** How many bytes may still be inflated. */
  get inflatable(): number {
    return this.limits.inflatedBytes - this.#spent.inflatedBytes;
  }

  spend(what: Exclude<keyof PdfLimits, 'bytes' | 'filledBytes'>, amount: number): void {
    this.#spent[what] += amount;
    if (this.#spent[what] > this.limits[what]) throw new PdfRefusal('too_complex', `more than ${this.limits[what]} ${what}`);
  }
}
