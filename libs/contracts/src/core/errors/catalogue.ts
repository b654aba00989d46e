/** A refusal: its status, and its message unless the code that throws it gives a better one. One key has two statuses. */
export type CatalogueEntry = readonly [status: number, message: string, otherStatus?: number];

/** Refusals by their keys. */
export type Catalogue = Record<string, CatalogueEntry>;
