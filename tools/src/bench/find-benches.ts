import type { Bench } from '@cds/bench';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Every bench of a folder of built benches (`NAME.bench.js`), by name. */
export async function findBenches(dir: string): Promise<Bench[]> {
  const files = readdirSync(dir).filter((name) => name.endsWith('.bench.js'));
  return Promise.all(files.sort().map((file) => load(dir, file)));
}

async function load(dir: string, file: string): Promise<Bench> {
  const { default: bench } = (await import(pathToFileURL(join(dir, file)).href)) as { default?: Bench };
  if (`${bench?.name}.bench.js` === file) return bench!;
  throw new Error(`bench/src/${file.replace(/js$/, 'ts')} must export a bench of its own name as default.`);
}
