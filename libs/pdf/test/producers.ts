import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('./fixtures/producers/', import.meta.url);

/** A small PDF of each producer, by its name. */
export const PRODUCERS: readonly (readonly [name: string, pdf: Buffer])[] = readdirSync(FOLDER)
  .toSorted()
  .map((file) => [file.replace('.pdf', ''), readFileSync(new URL(file, FOLDER))] as const);
