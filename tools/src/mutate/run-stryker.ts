import type { LogLevel } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import type { Mutant } from './score.ts';
import type { Target } from './targets.ts';

/** How to run. */
export interface StrykerPlan {
  /** Do not trust the results of earlier runs. */
  fresh: boolean;
  /** Also mutants of what runs while a file is loaded: each of them runs every test that loads the file. */
  constants: boolean;
  terminal: boolean;
}

/** Tries every mutant of a target with the small tests of its library, in a copy below .stryker-tmp. */
export async function runStryker({ lib, mutate, whole }: Target, { fresh, constants, terminal }: StrykerPlan): Promise<Mutant[]> {
  const stryker = new Stryker({
    mutate,
    testRunner: 'jest',
    plugins: ['@stryker-mutator/jest-runner'],
    testRunnerNodeArgs: ['--experimental-vm-modules', '--no-warnings'],
    jest: {
      projectType: 'custom',
      configFile: 'tools/stryker/jest.config.mjs',
      config: { testMatch: [`<rootDir>/libs/${lib}/src/**/*.spec.ts`] },
      enableFindRelatedTests: true,
    },
    coverageAnalysis: 'perTest',
    ignoreStatic: !constants,
    concurrency: 2,
    timeoutMS: 20_000,
    reporters: [terminal ? 'progress' : 'progress-append-only'],
    logLevel: 'warn' as LogLevel,
    ignorePatterns: ['**/dist', 'deploy', 'docs', '.cache', '.cds', 'coverage'],
    tempDirName: '.stryker-tmp',
    cleanTempDir: 'always',
    incremental: whole,
    incrementalFile: `reports/mutation/${lib}.json`,
    force: fresh,
  });
  return stryker.runMutationTest();
}
