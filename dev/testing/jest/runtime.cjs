// A runtime for Jest that loads modules once in a worker, so that they are warm for all of its spec files.
// Jest's own runtime loads everything again for each file, which took a third of the whole run. See docs/decisions/0032.
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { compileFunction } = require('node:vm');
const { quickExpect } = require('./build/expect.cjs');
const { compile, compileOptions, sourceMapPath } = require('./compile.cjs');
const { loadTypeScript } = require('./modules.cjs');

/** Little code of tests runs for long, so inlining calls takes more CPU than it saves. See docs/decisions/0111. */
setFlagsFromString('--no-turbo-inlining');

/** The module in which circus keeps the tests of a file and their listeners, as globals of the realm. Each file begins with new ones. */
const CIRCUS = require.resolve('jest-circus/runner').replace('runner.js', 'jestAdapterInit.js');
const CIRCUS_STATE = ['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'];

let loader;

module.exports = class SharedModulesRuntime {
  constructor(config, environment) {
    this.mocker = environment.moduleMocker;
    loader ??= openLoader(config);
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  unstable_importModule(path) {
    return loader.load(path);
  }

  requireModule(from, name) {
    return name ? createRequire(from)(name) : require(from);
  }

  requireInternalModule(from, name) {
    return from === CIRCUS && !name ? runCircus() : this.requireModule(from, name);
  }

  /** Replaces `expect` among the globals of a spec file by a faster one. */
  setGlobalsForRuntime(globals) {
    globals.expect = quickExpect(globals.expect);
  }

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
    return loader.sourceMaps;
  }

  teardown() {
    this.restoreAllMocks();
  }
};

/** Returns a function that imports a spec file, and a lookup of source maps, which Jest uses when it shows a stack. */
function openLoader({ cacheDirectory, transform }) {
  const options = compileOptions({ cacheDirectory, transform });
  const maps = new Map(); // Jest asks for the map of each line of a stack
  const mapOf = (file) => {
    if (!maps.has(file)) maps.set(file, sourceMapPath(file, options));
    return maps.get(file);
  };
  const sourceMaps = {
    get: (url) => (url.endsWith('.ts') ? mapOf(url.startsWith('file:') ? fileURLToPath(url) : url) : undefined),
    *[Symbol.iterator]() {},
  };
  loadTypeScript({ compile: (file) => compile(file, options), bytecode: join(cacheDirectory, 'bytecode') });
  return { load: (path) => import(pathToFileURL(path).href), sourceMaps };
}

let circus;

/** Runs the module of circus again for each file. The module is compiled once. */
function runCircus() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) if (CIRCUS_STATE.includes(symbol.description)) delete globalThis[symbol];
  circus ??= compileFunction(readFileSync(CIRCUS, 'utf8'), ['exports', 'require', 'module'], { filename: CIRCUS });
  const module = { exports: {} };
  circus(module.exports, createRequire(CIRCUS), module);
  return module.exports;
}
