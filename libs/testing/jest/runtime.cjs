// What Jest asks of a runtime, done by Node's own loader: the modules of a worker are loaded and warm for all of its spec files.
// Jest's own runtime loads everything anew for each file, which took a third of the whole run. See docs/decisions/0032.
const asyncHooks = require('node:async_hooks');
const { readFileSync } = require('node:fs');
const { createRequire, enableCompileCache, register } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { compileFunction } = require('node:vm');
const { quickExpect } = require('./build/expect.cjs');
const { compile, compileOptions, sourceMapPath } = require('./compile.cjs');
const { canLoadModules, Modules } = require('./modules.cjs');

/** Tests run little for long: to inline calls takes more than it saves. See docs/decisions/0111. */
setFlagsFromString('--no-turbo-inlining');

/** Circus keeps the tests of a file and who listens to them in the realm: each file begins with a new one. */
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

  /** Called with what becomes global in a spec file. */
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

/** Answers how a spec file is imported, and where the source map of a compiled file lies, which is asked when a stack is shown. */
function openLoader({ rootDir, cacheDirectory, transform }) {
  const options = compileOptions({ cacheDirectory, transform });
  const maps = new Map(); // a stack that is looked at asks for each of its lines
  const mapOf = (file) => {
    if (!maps.has(file)) maps.set(file, sourceMapPath(file, options));
    return maps.get(file);
  };
  const sourceMaps = {
    get: (url) => (url.endsWith('.ts') ? mapOf(url.startsWith('file:') ? fileURLToPath(url) : url) : undefined),
    *[Symbol.iterator]() {},
  };
  return { load: canLoadModules() ? loadHere(rootDir, options) : loadByHooks(cacheDirectory, options), sourceMaps };
}

function loadHere(rootDir, options) {
  const given = { '@jest/globals': { jest: globalThis[Symbol.for('cds.jest')] } };
  const modules = new Modules({ rootDir, compile: (file) => compile(file, options), given });
  return (path) => modules.import(path);
}

function loadByHooks(cacheDirectory, options) {
  enableCompileCache?.(join(cacheDirectory, 'bytecode')); // from Node 22.1 on
  register('./loader.mjs', { parentURL: pathToFileURL(__filename).href, data: options });
  return (path) => import(pathToFileURL(path).href);
}

/**
 * Circus keeps which test or hook runs in an AsyncLocalStorage, which Node 20 carries along with every promise that is made, and which
 * turns on the hooks that do so. Tests of a file run one after the other here, so a variable serves. What fails later than its test counts
 * for the test that runs then, or for the file.
 */
class RunningTest {
  getStore() {
    return this.store;
  }

  run(store, work) {
    const before = this.store;
    const done = () => void (this.store = before);
    this.store = store;
    let result;
    try {
      result = work();
    } catch (error) {
      done();
      throw error;
    }
    if (typeof result?.finally === 'function') return result.finally(done);
    done();
    return result;
  }
}

let circus;

/** Runs circus anew for each file, compiled once. */
function runCircus() {
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) if (CIRCUS_STATE.includes(symbol.description)) delete globalThis[symbol];
  circus ??= compileFunction(readFileSync(CIRCUS, 'utf8'), ['exports', 'require', 'module'], { filename: CIRCUS });
  const module = { exports: {} };
  const { AsyncLocalStorage } = asyncHooks;
  asyncHooks.AsyncLocalStorage = RunningTest;
  try {
    circus(module.exports, createRequire(CIRCUS), module);
  } finally {
    asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
  }
  return module.exports;
}
