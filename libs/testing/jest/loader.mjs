// How Node itself loads the TypeScript of specs and of what they test: compiled by SWC, kept by content in the cache folder.
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compiledPath } from './compiled-path.cjs';

const JEST_GLOBALS = new URL('./globals.mjs', import.meta.url).href;

let folder;
let swc;

export async function initialize(options) {
  ({ folder, swc } = options);
  await mkdir(folder, { recursive: true });
}

/** Projects of this repository are loaded from their sources, and what specs import of Jest is that of the running worker. */
export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: JEST_GLOBALS, shortCircuit: true };
  return nextResolve(specifier, { ...context, conditions: ['source', ...context.conditions] });
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: await compiled(fileURLToPath(url)), shortCircuit: true };
}

async function compiled(file) {
  const source = await readFile(file, 'utf8');
  const kept = compiledPath(folder, file, source, swc);
  if (existsSync(kept)) return readFile(kept, 'utf8');
  const { transform } = await import('@swc/core'); // most files are kept
  const { code, map } = await transform(source, { ...swc, filename: file, sourceFileName: file });
  await writeWhole(`${kept}.map`, map);
  await writeWhole(kept, code);
  return code;
}

/** Two workers may compile the same file at once. */
async function writeWhole(path, text) {
  await writeFile(`${path}.${process.pid}`, text);
  await rename(`${path}.${process.pid}`, path);
}
