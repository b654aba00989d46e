import { inTempTree } from '@codase/testing/temp-tree';
import { UsageFault } from '@codase/command-line';
import { outcomeOf } from './jest.ts';
import { incompleteLock, installScripts } from './lockfile.ts';
import { readOptions } from './options.ts';
import { runSteps } from './run-steps.ts';
import { failed, judge, PASSED, type Outcome, type Run, type Step } from './step.ts';

const step = (name: string, outcome: Outcome): Step => ({ name, run: async () => outcome });

function rehearse(steps: Step[], stop = new AbortController()) {
  const said: string[] = [];
  const run: Run = { root: '/', folder: '/', jestArguments: [], signal: stop.signal };
  return runSteps(steps, run, (text) => said.push(text)).then((tally) => ({ tally, said }));
}

describe('the steps of npm test', () => {
  it('count as one check each, except Jest, which counts each of its tests', async () => {
    const { tally } = await rehearse([step('types', PASSED), step('jest', { passed: 41, failed: 2 }), step('lint', failed('bad'))]);

    expect(tally).toEqual({ passed: 42, failed: 3 });
  });

  it('print the result of each step and its problems', async () => {
    const { said } = await rehearse([
      step('types', PASSED),
      step('jest', { passed: 2, failed: 1 }),
      step('lint', judge(['a is wrong.', 'b is wrong.'])),
    ]);

    expect(said.map((line) => line.replace(/\d+\.\d s/, 'N s'))).toEqual([
      '✓ types        N s',
      '✗ jest         N s (2 passed, 1 failed)',
      '✗ lint         N s',
      'a is wrong.\nb is wrong.',
    ]);
  });

  it('before a long step run beside it, and those after it run when it has ended', async () => {
    const seen: string[] = [];
    let end = () => {};
    const lintEnded = new Promise<void>((resolve) => (end = resolve));
    const seeing = (name: string): Step => ({ name, run: async () => (seen.push(name), PASSED) });
    const long: Step = { name: 'jest', isLong: true, run: () => lintEnded.then(() => (seen.push('jest'), PASSED)) };
    const last: Step = { name: 'lint', run: async () => (seen.push('lint'), end(), PASSED) };
    const { tally } = await rehearse([seeing('types'), last, long, seeing('matrix')]);

    expect(seen).toEqual(['types', 'lint', 'jest', 'matrix']);
    expect(tally).toEqual({ passed: 4, failed: 0 });
  });

  it('continue when one of them throws, which counts as a failure', async () => {
    const broken: Step = { name: 'matrix', run: () => Promise.reject(new Error('no log')) };
    const { tally, said } = await rehearse([broken, step('lint', PASSED)]);

    expect(tally).toEqual({ passed: 1, failed: 1 });
    expect(said[1]).toContain('no log');
  });

  it('do not count when they are left out, and say why', async () => {
    const { tally, said } = await rehearse([step('matrix', { passed: 0, failed: 0, leftOut: 'only a part ran' })]);

    expect(tally).toEqual({ passed: 0, failed: 0 });
    expect(said[0]).toMatch(/^– matrix .*\(left out: only a part ran\)$/);
  });

  it('stop when the run is interrupted, which counts as a failure', async () => {
    const stop = new AbortController();
    const interrupted: Step = {
      name: 'types',
      run: async () => {
        stop.abort();
        return failed('');
      },
    };
    const { tally, said } = await rehearse([interrupted, step('lint', PASSED)], stop);

    expect(tally).toEqual({ passed: 0, failed: 1 });
    expect(said.join()).not.toContain('lint');
  });
});

describe('the count of a Jest run', () => {
  const summary = { numPassedTests: 10, numFailedTests: 0, numRuntimeErrorTestSuites: 0 };

  it.each([
    ['all is well: the run itself is a check', summary, 0, { passed: 11, failed: 0 }],
    ['a test fails', { ...summary, numFailedTests: 1 }, 1, { passed: 10, failed: 1 }],
    ['a suite does not load', { ...summary, numRuntimeErrorTestSuites: 1 }, 1, { passed: 10, failed: 1 }],
    ['nothing failed, yet Jest did', summary, 1, { passed: 10, failed: 1 }],
    ['a signal ended it', summary, undefined, { passed: 10, failed: 1 }],
  ])('is correct when %s', (_, reported, code, expected) => {
    expect(outcomeOf(reported, { code, timedOut: false })).toMatchObject(expected);
  });

  it('has one more failure when the run hangs', () => {
    expect(outcomeOf({ ...summary, numFailedTests: 1 }, { code: undefined, timedOut: true })).toMatchObject({
      failed: 2,
      report: expect.stringContaining('seconds'),
    });
  });
});

describe('the options of npm test', () => {
  const steps = ['types', 'jest', 'matrix', 'leftovers'];

  it('select steps and pass the rest to Jest', () => {
    expect(readOptions(['--only', 'types,jest', 'libs/runtime', '-t', 'retries'], steps)).toEqual({
      only: ['types', 'jest'],
      jestArguments: ['libs/runtime', '-t', 'retries'],
    });
    expect(readOptions(['--only=jest'], steps)).toEqual({ only: ['jest'], jestArguments: [] });
  });

  it('run Jest alone when they name some tests', () => {
    expect(readOptions(['libs/runtime', '--silent'], steps).only).toEqual(['jest', 'leftovers']);
    expect(readOptions(['-t', 'retries'], steps).only).toEqual(['jest', 'leftovers']);
    expect(readOptions(['--silent'], steps).only).toEqual([]);
  });

  it.each([[['--only', 'tpyes']], [['--only']], [['--only', 'matrix']]])('refuse %j', (args) => {
    expect(() => readOptions(args, steps)).toThrow(UsageFault);
  });
});

describe('the check of the lockfile', () => {
  const lock = (packages: object) => inTempTree({ 'package-lock.json': JSON.stringify({ packages }) }, incompleteLock);
  const native = { version: '1.0.0', optionalDependencies: { '@n/linux': '1.0.0', '@n/darwin': '1.0.0' } };

  it('accepts a lockfile in which every optional package is resolved, nested or hoisted', async () => {
    expect(
      await lock({
        '': {},
        'node_modules/a/node_modules/n': native,
        'node_modules/a/node_modules/@n/linux': {},
        'node_modules/@n/darwin': {},
      }),
    ).toEqual([]);
  });

  it('reports missing binaries of another operating system', async () => {
    expect(await lock({ '': {}, 'node_modules/n': native, 'node_modules/@n/linux': {} })).toEqual([
      expect.stringContaining('lacks @n/darwin of node_modules/n@1.0.0'),
    ]);
  });

  it('does not accept an optional package that is nested under an unrelated package', async () => {
    expect(
      await lock({ '': {}, 'node_modules/n': native, 'node_modules/@n/linux': {}, 'node_modules/b/node_modules/@n/darwin': {} }),
    ).toHaveLength(1);
  });
});

describe('the check of install scripts', () => {
  const found = (packages: object, allowScripts?: object) =>
    inTempTree({ 'package-lock.json': JSON.stringify({ packages }), 'package.json': JSON.stringify({ allowScripts }) }, installScripts);
  const scripted = { version: '1.0.0', hasInstallScript: true };

  it('accepts packages whose scripts are listed and not run', async () => {
    expect(await found({ '': {}, 'node_modules/a': {}, 'node_modules/a/node_modules/@n/b': scripted }, { '@n/b': false })).toEqual([]);
  });

  it('refuses a new install script, one that is run, and a line for none', async () => {
    expect(await found({ '': {}, 'node_modules/b': scripted, 'node_modules/c': scripted }, { c: true, d: false })).toEqual([
      expect.stringMatching(/^b has an install script: .* list it in allowScripts as false\.$/),
      expect.stringMatching(/^allowScripts lets c run/),
      expect.stringMatching(/^allowScripts lists d, which has no install script/),
    ]);
    expect(await found({ 'node_modules/b': scripted })).toHaveLength(1);
  });
});
