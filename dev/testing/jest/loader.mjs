// Hooks with which Node's own loader loads the TypeScript of specs and of the code they test. They are used when this version of Node does
// not have what modules.cjs needs.
import { fileURLToPath } from 'node:url';
import { compile } from './compile.cjs';

const JEST_GLOBALS = new URL('./globals.mjs', import.meta.url).href;

let options;

/** Receives the folder of compiled files and the options of SWC. */
export function initialize(given) {
  options = given;
}

/** Resolves projects of this repository to their sources, and '@jest/globals' to the mocker of the running worker. */
export function resolve(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: JEST_GLOBALS, shortCircuit: true };
  return nextResolve(specifier, { ...context, conditions: ['source', ...context.conditions] });
}

export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  return { format: 'module', source: compile(fileURLToPath(url), options), shortCircuit: true };
}
