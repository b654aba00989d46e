// Hooks with which Node's own loader loads the TypeScript of specs and of the code they test. They run in the thread that imports.
const { enableCompileCache, registerHooks } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');

/** All specs of a worker share one mocker (see environment.cjs). */
const JEST_GLOBALS = pathToFileURL(join(__dirname, 'globals.mjs')).href;

/** Registers the hooks. `compile` returns the code of a TypeScript file; `bytecode` is the folder in which Node keeps what V8 compiles. */
exports.loadTypeScript = ({ compile, bytecode }) => {
  enableCompileCache(bytecode);
  registerHooks({
    resolve: resolveSource,
    load: (url, context, nextLoad) =>
      isSource(url) ? { format: 'module', source: compile(fileURLToPath(url)), shortCircuit: true } : nextLoad(url, context),
  });
};

const isSource = (url) => url.startsWith('file:') && url.endsWith('.ts');

/** Resolves projects of this repository to their sources. */
function resolveSource(specifier, context, nextResolve) {
  if (specifier === '@jest/globals') return { url: JEST_GLOBALS, format: 'module', shortCircuit: true };
  if (specifier.startsWith('@codase/')) return nextResolve(specifier, { ...context, conditions: ['source', ...context.conditions] });
  // Node would ask the file system about each part of the path: a tenth of the CPU time of a run of small specs.
  if (specifier.startsWith('.') && specifier.endsWith('.ts'))
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
  return nextResolve(specifier, context);
}
