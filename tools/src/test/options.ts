import { UsageFault } from '@codase/command-line';

/** The options of `npm test`. */
interface TestOptions {
  /** Names of steps; all when empty. */
  only: string[];
  /** All other arguments, which are passed to Jest. */
  jestArguments: string[];
}

/** The steps of a run of some tests: the others judge the whole repository, and take longer than most tests. */
const OF_SOME_TESTS = ['jest', 'leftovers'];

/** Reads `--only a,b`; the rest is for Jest. Where it names some tests, only these are run. */
export function readOptions(args: readonly string[], steps: readonly string[]): TestOptions {
  const options: TestOptions = { only: [], jestArguments: [] };
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg === '--only') options.only.push(...(rest.shift() ?? '').split(','));
    else if (arg.startsWith('--only=')) options.only.push(...arg.slice('--only='.length).split(','));
    else options.jestArguments.push(arg);
  }
  const namesTests = options.jestArguments.some((arg) => !arg.startsWith('-'));
  if (namesTests && options.only.length === 0) options.only.push(...OF_SOME_TESTS);
  const unknown = options.only.filter((name) => !steps.includes(name));
  if (unknown.length) throw new UsageFault(`There is no step '${unknown.join("', '")}': the steps are ${steps.join(', ')}.`);
  const blind = options.only.includes('matrix') && !options.only.includes('jest');
  if (blind) throw new UsageFault('The matrix judges a run of Jest: name jest too, or use npm run matrix.');
  return options;
}
