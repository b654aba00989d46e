import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const swc = JSON.parse(readFileSync(new URL('.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;
swc.jsc.rewriteRelativeImportExtensions = false; // Jest resolves the .ts specifiers itself

export default {
  // Spec files of a worker share their loaded modules, and compiled code is kept between runs: see docs/decisions/0032.
  runtime: '<rootDir>/dev/testing/jest/runtime.cjs',
  testEnvironment: '<rootDir>/dev/testing/jest/environment.cjs',
  testRunner: '<rootDir>/dev/testing/jest/test-runner.cjs',
  testSequencer: '<rootDir>/dev/testing/jest/sequencer.cjs',
  reporters: ['default', '<rootDir>/dev/testing/jest/times-reporter.mjs'],
  cacheDirectory: '<rootDir>/.cache/jest',
  testMatch: ['<rootDir>/{apps,libs,dev,examples}/*/{src,test}/**/*.spec.ts', '<rootDir>/{e2e,bench,tools}/{src,test}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/bundle', '<rootDir>/.stryker-tmp', '<rootDir>/.codase', '<rootDir>/.cache'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  workerIdleMemoryLimit: '1GB',
  // Two workers for each core, because many tests wait for a server or a clock. More would cost CPU, because each worker loads and warms
  // up the same code: see docs/decisions/0104.
  maxWorkers: Math.min(availableParallelism() * 2, 6),
  testTimeout: 300_000, // only a test that hangs takes that long, even on a loaded machine
  // Small tests live beside their code; tests in a `test` folder run on real Postgres and NATS, started once for all of them.
  globalSetup: '<rootDir>/dev/testing/jest/setup.mjs',
  globalTeardown: '<rootDir>/dev/testing/jest/teardown.mjs',
};
