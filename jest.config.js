import { readFileSync } from 'node:fs';

const swc = JSON.parse(readFileSync(new URL('./.swcrc', import.meta.url), 'utf8'));
delete swc.$schema;
swc.jsc.rewriteRelativeImportExtensions = false; // Jest resolves the .ts specifiers itself

export default {
  testEnvironment: 'node',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  testMatch: ['<rootDir>/{apps,libs,examples}/*/{src,test}/**/*.spec.ts', '<rootDir>/{e2e,bench,tools}/{src,test}/**/*.spec.ts'],
  modulePathIgnorePatterns: ['/dist/', '<rootDir>/.stryker-tmp', '<rootDir>/.cds', '<rootDir>/.cache'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { ...swc, swcrc: false }] },
  coverageProvider: 'v8',
  workerIdleMemoryLimit: '1GB',
  maxWorkers: 2,
  testTimeout: 60_000,
  // Small tests live beside their code; tests in a `test` folder run on real Postgres and NATS, started once for all of them.
  globalSetup: '<rootDir>/libs/testing/jest/setup.mjs',
  globalTeardown: '<rootDir>/libs/testing/jest/teardown.mjs',
};
