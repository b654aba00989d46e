import { finding } from '../definition/finding.ts';
import { readsOf } from '../expressions/reads.ts';
import { slugOf } from '../graph/availability.ts';
import { dependencyOrder, isCycle } from '../graph/dependency-order.ts';
import type { Check, CheckContext } from './check-context.ts';

type Dependencies = ReadonlyMap<string, readonly string[]>;

/** Returns the cycles among keys that depend on each other, each with its members sorted. */
function cyclesOf(dependencies: Dependencies): string[][] {
  const dependsOn = (key: string) => (dependencies.get(key) ?? []).filter((other) => dependencies.has(other));
  return dependencyOrder(dependencies.keys(), dependsOn)
    .filter((group) => isCycle(group, dependsOn))
    .map((group) => group.toSorted());
}

const constantReads = ({ constants }: CheckContext): [string, string[]][] =>
  [...constants].map(([key, { expr }]) => [key, [...readsOf(expr)].map((read) => (constants.has(read) ? read : slugOf(read)))]);

/** Returns the keys that each question needs first: the keys that its default and bounds read, or its plugin inputs. */
const questionReads = ({ elements, constants }: CheckContext): [string, string[]][] =>
  elements.flatMap(({ element }): [string, string[]][] => {
    const answerOf = (key: string) => (constants.has(key) ? key : slugOf(key));
    if (element.kind === 'plugin') return [[element.slug, Object.values(element.plugin.inputs).map(answerOf)]];
    if (element.kind !== 'field') return [];
    return [[element.slug, [element.default, element.min, element.max].flatMap((expr) => (expr ? [...readsOf(expr)] : [])).map(answerOf)]];
  });

/** Constants do not depend on each other in a cycle. @spec D2-7 */
export const constantsAreAcyclic: Check = function* (context) {
  for (const cycle of cyclesOf(new Map(constantReads(context)))) {
    yield finding('constant.cycle', { constant: cycle[0] }, `The constants ${cycle.join(', ')} depend on each other in a circle`);
  }
};

/** Plugin inputs, defaults and bounds have no cycle, also not through constants. @spec D2-7 @gap D2-7 show_if does not count */
export const dependenciesAreAcyclic: Check = function* (context) {
  const questions = questionReads(context);
  const slugs = new Set(questions.map(([slug]) => slug));
  for (const cycle of cyclesOf(new Map([...constantReads(context), ...questions]))) {
    const element = cycle.find((key) => slugs.has(key));
    if (element) yield finding('dependency.cycle', { element }, `${cycle.join(', ')} need each other to be known first`);
  }
};
