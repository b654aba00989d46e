import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNTIME = fileURLToPath(new URL('../jest/runtime.cjs', import.meta.url));

/** Loads circus as for a spec file. Prints how many storages circus made that a promise would carry. */
const ONE_FILE = `
  const asyncHooks = require('node:async_hooks');
  const { AsyncLocalStorage } = asyncHooks;
  const Runtime = require(process.argv[1]);
  let made = 0;
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor() {
      super();
      made += 1;
    }
  };
  const circus = require.resolve('jest-circus/runner').replace('runner.js', 'jestAdapterInit.js');
  Object.create(Runtime.prototype).requireInternalModule(circus);
  console.log(made);
`;

it('jest-circus creates no AsyncLocalStorage that promises of tests would carry', () => {
  expect(Number(execFileSync(process.execPath, ['-e', ONE_FILE, RUNTIME], { encoding: 'utf8' }))).toBe(0);
});
