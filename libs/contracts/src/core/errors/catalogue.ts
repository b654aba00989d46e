/** One refusal: its status and what is said unless the thrower says it better. One key of the specification has two statuses. */
export type CatalogueEntry = readonly [status: number, message: string, otherStatus?: number];

/** Refusals by their keys. */
export type Catalogue = Record<string, CatalogueEntry>;
