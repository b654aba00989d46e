import { districtProblems } from './districts.ts';
import type { Source } from './sources.ts';
import { entryPointsOf, unnamedExports } from './unnamed-exports.ts';
import { violations } from './violations.ts';

/** Everything in which the sources break a rule, for `npm test` and for the command. */
export const architectureProblems = (root: string, sources: readonly Source[]): string[] => [
  ...violations(root, sources),
  ...districtProblems(sources),
  ...unnamedExports(sources, entryPointsOf(root)),
];
