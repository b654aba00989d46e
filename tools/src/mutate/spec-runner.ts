import { INSTRUMENTER_CONSTANTS, type InstrumenterContext, type StrykerOptions } from '@stryker-mutator/api/core';
import { commonTokens, declareClassPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  determineHitLimitReached,
  DryRunStatus,
  TestStatus,
  toMutantRunResult,
  type DryRunResult,
  type MutantRunOptions,
  type MutantRunResult,
  type TestResult,
  type TestRunner,
} from '@stryker-mutator/api/test-runner';
import { relative } from 'node:path';
import { bundleSpecs, nearestFirst, type Spec } from './bundle-specs.ts';
import { JEST_GLOBALS, runSpec, type Outcome } from './run-spec.ts';

/** The state that Stryker's switches in the mutated sources read and write. */
const switches: InstrumenterContext = {};
Object.assign(globalThis, { [INSTRUMENTER_CONSTANTS.NAMESPACE]: switches });

/** Attributes every mutant that the sources reach from now on to this test. */
const meet = (id: string): boolean => {
  switches.currentTestId = id;
  return true;
};

/** Runs the specs of a library for Stryker, again and again in one process. Stryker kills the process when a mutant does not end. */
class SpecRunner implements TestRunner {
  static inject = tokens(commonTokens.options);
  private readonly root = process.cwd(); // Stryker's copy of the repository
  private readonly files: string[];
  private specs: Spec[] = [];

  constructor(options: StrykerOptions) {
    this.files = options['specs'] as string[];
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    this.specs = await bundleSpecs(this.files, this.root, { '@jest/globals': JEST_GLOBALS });
  }

  /** Runs every test without a mutant, while the sources record which test reaches which mutants. */
  async dryRun(): Promise<DryRunResult> {
    const outcomes: Outcome[] = [];
    for (const spec of this.specs) {
      switches.currentTestId = undefined;
      outcomes.push(...(await runSpec(spec, { wants: meet })));
    }
    return { status: DryRunStatus.Complete, tests: outcomes.map(testResult), mutantCoverage: switches.mutantCoverage };
  }

  /** Runs the tests that reach the mutant, up to the first that notices it; for a constant, all that could reach it. */
  async mutantRun({ activeMutant, mutantActivation, sandboxFileName, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    const wanted = testFilter && new Set(testFilter);
    const activate = () => void (switches.activeMutant = activeMutant.id);
    Object.assign(switches, { hitLimit, hitCount: hitLimit === undefined ? undefined : 0 });
    const outcomes: Outcome[] = [];
    for (const spec of nearestFirst(this.specs, relative(this.root, sandboxFileName))) {
      if (wanted && !testFilter.some((id) => id.startsWith(`${spec.file}:`))) continue;
      switches.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
      outcomes.push(...(await runSpec(spec, { loaded: activate, wants: (id) => wanted?.has(id) ?? true })));
      if (outcomes.at(-1)?.failure !== undefined) break;
    }
    const endless = determineHitLimitReached(switches.hitCount, hitLimit);
    return toMutantRunResult(endless ?? { status: DryRunStatus.Complete, tests: outcomes.map(testResult) });
  }
}

const testResult = ({ id, file, milliseconds, failure }: Outcome): TestResult => ({
  id,
  name: id,
  fileName: file,
  timeSpentMs: milliseconds,
  ...(failure === undefined ? { status: TestStatus.Success } : { status: TestStatus.Failed, failureMessage: failure }),
});

/** The exports that Stryker requires of a plugin. */
export const strykerPlugins = [declareClassPlugin(PluginKind.TestRunner, 'specs', SpecRunner)];
export const strykerValidationSchema = { properties: { specs: { type: 'array', items: { type: 'string' } } } };
