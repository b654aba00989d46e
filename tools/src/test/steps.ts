import { architectureProblems } from '../architecture/problems.ts';
import { readSources, type Source } from '../architecture/sources.ts';
import { readExchanges } from '../matrix/exchanges.ts';
import { matrix } from '../matrix/matrix.ts';
import { platformEndpoints } from '../matrix/platform-endpoints.ts';
import { readNotBuilt } from '../spec/not-built.ts';
import { specIndex } from '../spec-index/spec-index.ts';
import { exchangeLogOf, wasEndedEarly, runJest, temporaryOf } from './jest.ts';
import { leftEntries, leftProcesses } from './leftovers.ts';
import { incompleteLock, installScripts } from './lockfile.ts';
import { licenceProblems } from '../licences/licences.ts';
import { changelogProblems } from '../words/changelog.ts';
import { classNameProblems } from '../words/class-names.ts';
import { decisionProblems } from '../words/decisions.ts';
import { glossaryProblems } from '../words/glossary.ts';
import { measurementProblems } from '../words/measurements.ts';
import { missingPaths } from '../words/named-paths.ts';
import { retiredNames } from '../words/retired-names.ts';
import { longLines, unclearOpenings } from '../words/source-lines.ts';
import { format, lint, types } from './programs.ts';
import { judge, type Step } from './step.ts';

let sources: Source[] | undefined;
/** Every source of the repository, parsed once for the steps that look at them. */
const sourcesIn = (root: string): Source[] => (sources ??= readSources(root));

/** The steps of `npm test`, in order. Jest runs beside those before it; the matrix and the leftovers judge its run. */
export const STEPS: readonly Step[] = [
  types,
  lint,
  format,
  { name: 'lockfile', run: async ({ root }) => judge([...incompleteLock(root), ...installScripts(root), ...licenceProblems(root)]) },
  { name: 'architecture', run: async ({ root }) => judge(architectureProblems(root, sourcesIn(root))) },
  {
    name: 'words',
    run: async ({ root }) =>
      judge([
        ...retiredNames(sourcesIn(root)),
        ...classNameProblems(sourcesIn(root)),
        ...glossaryProblems(root),
        ...changelogProblems(root),
        ...decisionProblems(root),
        ...measurementProblems(root),
        ...missingPaths(root),
        ...longLines(root),
        ...unclearOpenings(root),
      ]),
  },
  {
    name: 'spec-index',
    run: async ({ root }) => judge(specIndex(root, await platformEndpoints()).problems),
  },
  {
    name: 'deploy',
    async run({ root }) {
      const { deployCheck } = await import('../deploy-check/deploy-check.ts'); // it loads every app: 2.5 s of CPU
      const { problems, leftOut } = await deployCheck(root, { isThorough: false });
      return { ...judge(problems), ...(leftOut.length > 0 && problems.length === 0 && { passed: 0, leftOut: leftOut.join(' ') }) };
    },
  },
  { name: 'jest', isLong: true, run: runJest },
  {
    name: 'matrix',
    async run({ root, folder, jestArguments }) {
      if (jestArguments.length || wasEndedEarly({ folder })) return { passed: 0, failed: 0, leftOut: 'only a part of the tests ran' };
      const { endpoints, served } = await platformEndpoints();
      const { problems } = matrix(endpoints, served, readNotBuilt(root), await readExchanges(exchangeLogOf({ folder })));
      return judge(problems);
    },
  },
  {
    name: 'leftovers',
    async run({ folder }) {
      if (wasEndedEarly({ folder }))
        return { passed: 0, failed: 0, leftOut: 'the tests did not run to their end; what they left is removed' };
      const [processes, entries] = [await leftProcesses(folder), leftEntries(temporaryOf({ folder }))];
      return judge([
        ...processes.map(({ pid, command }) => `The tests left the process ${pid} running (it is ended now): ${command}`),
        ...entries.map((name) => `The tests left ${name} in the temporary folder (it is removed now): remove it where it was made.`),
      ]);
    },
  },
];
