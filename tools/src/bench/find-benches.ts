import type { Bench } from '@codase/bench';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SUFFIX = '.bench.js';

export const benchNames = (dir: string): string[] =>
  readdirSync(dir)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => file.slice(0, -SUFFIX.length))
    .toSorted();

export const findBenches = (dir: string, names = benchNames(dir)): Promise<Bench[]> => Promise.all(names.map((name) => load(dir, name)));

async function load(dir: string, name: string): Promise<Bench> {
  const { default: bench } = (await import(pathToFileURL(join(dir, `${name}${SUFFIX}`)).href)) as { default?: Bench };
  if (bench?.name === name) return bench;
  throw new Error(`bench/src/${name}.bench.ts must export a bench of its own name as default.`);
}
