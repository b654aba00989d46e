import type { LogLevel } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { readdirSync } from 'node:fs';
import type { Mutant } from './score.ts';
import type { Target } from './targets.ts';

export interface StrykerPlan {
  fresh: boolean;
  /** Also tries mutants in code that runs while a file is loaded. */
  constants: boolean;
  terminal: boolean;
  atOnce?: number;
}

/** Tries every mutant of a target with the small tests beside it, in a copy of the libraries and apps of the current folder. */
export async function runStryker({ name, mutate, specs, whole }: Target, plan: StrykerPlan): Promise<Mutant[]> {
  const { fresh, constants, terminal, atOnce = 2 } = plan;
  const stryker = new Stryker({
    mutate,
    testRunner: 'specs',
    plugins: [new URL('./spec-runner.js', import.meta.url).href],
    specs: specsBelow(specs),
    testRunnerNodeArgs: ['--no-warnings'],
    coverageAnalysis: 'perTest',
    ignoreStatic: !constants,
    concurrency: atOnce,
    timeoutMS: 20_000,
    reporters: [terminal ? 'progress' : 'progress-append-only'],
    logLevel: 'warn' as LogLevel,
    warnings: false, // Stryker warns that mutants in constants are slow, and here they are not
    ignorePatterns: ['/*', '!/libs', '!/apps', '**/dist'],
    tempDirName: '.stryker-tmp',
    cleanTempDir: 'always',
    incremental: whole,
    incrementalFile: `reports/mutation/${name}.json`,
    force: fresh,
  });
  return stryker.runMutationTest();
}

const specsBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
