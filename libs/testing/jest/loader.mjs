// Where Node has no modules of a realm (see modules.cjs): how its own loader loads the TypeScript of specs and of what they test.
import { fileURLToPath } from 'node:url';
import { compile } from './compile.cjs';

const JEST_GLOBALS = new URL('./globals.mjs', import.meta.url).href;

let options;

/** Where compiled files are kept, and what SWC is told. */
export function initialize(given) {
  options = given;
}

/** Projects of this repository are loaded from their sources, and what specs import of Jest is that of the running worker. */
export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: JEST_GLOBALS, shortCircuit: true };
  return nextResolve(specifier, { ...context, conditions: ['source', ...context.conditions] });
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: compile(fileURLToPath(url), options), shortCircuit: true };
}
