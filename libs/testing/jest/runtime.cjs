// What Jest asks of a runtime, done by Node's own loader: the modules of a worker are loaded and warm for all of its spec files.
// Jest's own runtime loads everything anew for each file, which took a third of the whole run. See docs/decisions/0032.
const asyncHooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { createRequire, enableCompileCache, register } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { compileFunction } = require('node:vm');
const { compiledPath } = require('./compiled-path.cjs');

/** Circus keeps the tests of a file and who listens to them in the realm: each file begins with a new one. */
const CIRCUS = require.resolve('jest-circus/runner').replace('runner.js', 'jestAdapterInit.js');
const CIRCUS_STATE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'];

let sourceMaps;

module.exports = class SharedModulesRuntime {
  constructor(config, environment) {
    this.mocker = environment.moduleMocker;
    sourceMaps ??= registerLoader(config);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }

  requireModule(from, name) {
    return name ? createRequire(from)(name) : require(from);
  }

  requireInternalModule(from, name) {
    return from === CIRCUS && !name ? runCircus() : this.requireModule(from, name);
  }

  setGlobalsForRuntime() {}
  enterTestCode() {}
  leaveTestCode() {}
  resetModules() {}
  getAllCoverageInfoCopy() {}

  clearAllMocks() {
    this.mocker.clearAllMocks();
  }

  resetAllMocks() {
    this.mocker.resetAllMocks();
  }

  restoreAllMocks() {
    this.mocker.restoreAllMocks();
  }

  getSourceMaps() {
    return sourceMaps;
  }

  teardown() {
    this.restoreAllMocks();
  }
};

/** Answers where the source map of a compiled file lies, which is asked when a stack is shown. */
function registerLoader({ cacheDirectory, transform }) {
  const folder = join(cacheDirectory, 'modules');
  const [, , swc] = transform[0];
  enableCompileCache?.(join(cacheDirectory, 'bytecode')); // from Node 22.1 on
  register('./loader.mjs', { parentURL: pathToFileURL(__filename).href, data: { folder, swc } });
  const maps = new Map(); // a stack that is looked at asks for each of its lines
  const mapOf = (file) => {
    if (!maps.has(file)) maps.set(file, `${compiledPath(folder, file, readFileSync(file, 'utf8'), swc)}.map`);
    return maps.get(file);
  };
  return {
    get: (url) => (url.endsWith('.ts') ? mapOf(url.startsWith('file:') ? fileURLToPath(url) : url) : undefined),
    *[Symbol.iterator]() {},
  };
}

const storagesOfCircus = [];
let circus;

/**
 * Runs circus anew for each file, compiled once. Node carries each AsyncLocalStorage that is in use along with every promise that is made,
 * so that of a file that has ended is taken out of use: after a hundred files each promise would carry a hundred.
 */
function runCircus() {
  for (const storage of storagesOfCircus.splice(0)) storage.disable();
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) if (CIRCUS_STATE.includes(symbol.description)) delete globalThis[symbol];
  circus ??= compileFunction(readFileSync(CIRCUS, 'utf8'), ['exports', 'require', 'module'], { filename: CIRCUS });
  const module = { exports: {} };
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor(...args) {
      super(...args);
      storagesOfCircus.push(this);
    }
  };
  try {
    circus(module.exports, createRequire(CIRCUS), module);
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
  return module.exports;
}
