import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const RUNTIME = fileURLToPath(new URL('../jest/runtime.cjs', import.meta.url));

/** Loads circus as for three spec files and uses each storage that it makes; prints how many a promise carries then. */
const THREE_FILES = `
  const asyncHooks = require('node:async_hooks');
  const { AsyncLocalStorage } = asyncHooks;
  const Runtime = require(process.argv[1]);
  const runtime = Object.create(Runtime.prototype);
  asyncHooks.AsyncLocalStorage = class extends AsyncLocalStorage {
    constructor() {
      super();
      this.enterWith('of this file');
    }
  };
  const circus = require.resolve('jest-circus/runner').replace('runner.js', 'jestAdapterInit.js');
  for (const file of ['a', 'b', 'c']) runtime.requireInternalModule(circus);
  Promise.resolve().then(() => {
    const symbols = Object.getOwnPropertySymbols(asyncHooks.executionAsyncResource());
    console.log(symbols.filter(({ description }) => description === 'kResourceStore').length);
  });
`;

it('a promise carries nothing of the files that have ended', () => {
  const carried = Number(execFileSync(process.execPath, ['-e', THREE_FILES, RUNTIME], { encoding: 'utf8' }));

  expect(carried).toBeLessThanOrEqual(1); // none from Node 24 on, which keeps storages elsewhere
});
