import { UsageFault } from '@codase/command-line';
import { inTempTree } from '@codase/testing/temp-tree';
import { percent, scoreOf, summary, survivors, type Mutant } from './score.ts';
import { targetsOf } from './targets.ts';

const GUARDS = [
  { folder: 'apps/platform/src/foundation/peers', files: ['peer-handlers.service.ts', 'speakers.service.ts'] },
  { folder: 'apps/platform/src/access/devices', files: ['act-statements.service.ts'] },
  { folder: 'apps/platform/src/access/tokens/dpop', files: ['device-jws.ts'] },
];
const TREE = Object.fromEntries(
  [
    'libs/crypto/src/der.ts',
    'libs/crypto/src/pem.ts',
    'libs/domain/src/index.ts',
    'libs/contracts/src/core/peer-subjects.ts',
    'libs/contracts/src/core/person-act.ts',
    'apps/gateway/src/main.ts',
    'apps/gateway/src/limits/rates.ts',
    ...GUARDS.flatMap(({ folder, files }) => files.map((file) => `${folder}/${file}`)),
  ].map((file) => [file, '']),
);
const mutant = (status: string, line = 1, fileName = '/repo/libs/crypto/src/der.ts'): Mutant => ({
  status,
  fileName,
  location: { start: { line } },
  mutatorName: 'EqualityOperator',
  replacement: 'a >=\n  b',
});

describe('the files to mutate', () => {
  const targets = (names: string[]) => inTempTree(TREE, (root) => targetsOf(names, root));

  it('are crypto and domain by default, without their specs, and the guard of requests between regions', async () => {
    const libs = ['crypto', 'domain'].map((name) => ({
      name,
      whole: true,
      mutate: [`libs/${name}/src/**/!(*.spec|*.check).ts`],
      specs: `libs/${name}/src`,
    }));
    const [guard, ...more] = (await targets([])).slice(libs.length);

    expect((await targets([])).slice(0, libs.length)).toEqual(libs);
    expect(guard).toMatchObject({
      name: 'contracts',
      mutate: ['peer-subjects', 'person-act'].map((file) => `libs/contracts/src/core/${file}.ts`),
    });
    expect(more).toEqual(
      GUARDS.map(({ folder, files }) => ({ name: folder, whole: false, specs: folder, mutate: files.map((file) => `${folder}/${file}`) })),
    );
  });

  it('are the named files, grouped by library', async () => {
    const files = ['libs/crypto/src/der.ts', 'libs/crypto/src/pem.ts:3-9'];

    expect(await targets(files)).toEqual([{ name: 'crypto', whole: false, mutate: files, specs: 'libs/crypto/src' }]);
  });

  it('are the named files of an app, with the specs of their folder', async () => {
    const files = ['apps/gateway/src/main.ts', 'apps/gateway/src/limits/rates.ts'];

    expect((await targets(files)).map(({ specs, mutate }) => [specs, mutate])).toEqual([
      ['apps/gateway/src', [files[0]]],
      ['apps/gateway/src/limits', [files[1]]],
    ]);
  });

  it('are the whole library when it is named together with its files', async () => {
    expect(await targets(['libs/crypto/src/der.ts', 'crypto', 'libs/crypto/src/pem.ts'])).toMatchObject([{ name: 'crypto', whole: true }]);
  });

  it.each(['cyrpto', 'libs/crypto/src/gone.ts', 'apps/gateway/test/gone.ts', '../x'])('must not include %s', async (name) => {
    await expect(targets([name])).rejects.toThrow(UsageFault);
  });
});

describe('the mutation score', () => {
  it('is the percentage of detected mutants among the valid ones', () => {
    expect(
      scoreOf(['Killed', 'Killed', 'Timeout', 'Survived', 'NoCoverage', 'RuntimeError', 'Ignored'].map((status) => ({ status }))),
    ).toBe(60);
  });

  it('is not a number when nothing could be mutated', () => {
    expect(percent(scoreOf([mutant('Ignored')]))).toBe('nothing to mutate');
    expect(percent(91.25)).toBe('91.3 %');
  });

  it('is printed with the count of mutants by state, and the ignored ones', () => {
    expect(summary([mutant('Killed'), mutant('Ignored'), mutant('Killed')])).toBe(
      '1 Ignored, 2 Killed (the ignored ones are in constants: --constants tries them)',
    );
  });

  it('is printed with the surviving mutants in source order', () => {
    expect(survivors([mutant('Survived', 12), mutant('Killed', 3), mutant('NoCoverage', 9)], '/repo')).toEqual([
      'libs/crypto/src/der.ts:9  EqualityOperator → a >= b  (no test comes here)',
      'libs/crypto/src/der.ts:12  EqualityOperator → a >= b',
    ]);
  });
});
