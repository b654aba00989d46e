import { isCalendarDate } from '../../field-types/calendar-date.ts';
import { isJsonObject } from '../../field-types/json-values.ts';
import { compileReadings } from '../answers/read-answers.ts';
import type { Constant } from '../definition/definition.ts';
import type { Kind, Kinds } from '../definition/kinds.ts';
import { LIMITS } from '../definition/limits.ts';
import { CONSTANT_KEY } from '../definition/names.ts';
import { dependencyOrder, isCycle } from '../graph/dependency-order.ts';
import { compilation } from './compilation.ts';
import { compileExpr, type Evaluate } from './expression.ts';
import { readersOf } from './reads.ts';
import type { Answers, Values } from './values.ts';

/** Returns the answers, read by their kinds, with one more entry for each constant. */
export type ComputeConstants = (answers: Answers, reference_date: string) => Values;

/** Values that are computed once and kept up to date. */
export interface ComputeValues {
  compute: ComputeConstants;
  /**
   * Brings values up to date after the answers of some slugs have changed, and returns the keys whose values may be different now. Then
   * the values are those that `compute` would return for the answers. Only constants that read something different are computed again.
   */
  revise(values: Values, slugs: Iterable<string>, answers: Answers, reference_date: string): ReadonlySet<string>;
}

/** Compiles constants for callers that compute all values at once. @spec D2-2.5.1 */
export const compileConstants = (constants: readonly Constant[], kinds: Kinds): ComputeConstants => compileValues(constants, kinds).compute;

/**
 * Compiles constants once for many evaluations. `kinds` are the kinds of the answers. The constants have kinds of their own. A constant
 * with an invalid key, or beyond the limit, is left out. Of two equal keys the first counts. Constants that depend on each other are null.
 * Publishing refuses all of these. @spec D2-2.5.1
 */
export function compileValues(constants: readonly Constant[], kinds: Kinds): ComputeValues {
  const { read, readAgain } = compileReadings(kinds);
  const usable = byKey(constants);
  const known: Kinds = new Map([...kinds, ...[...usable].map(([key, { result_type }]): [string, Kind] => [key, result_type])]);
  const compiled = new Map([...usable].map(([key, { expr }]) => [key, compileOne(expr, known)]));
  const dependsOn = (key: string) => [...compiled.get(key)!.reads].filter((read) => compiled.has(read));
  const steps = dependencyOrder(compiled.keys(), dependsOn).flatMap((group): [string, Evaluate][] =>
    group.map((key) => [key, isCycle(group, dependsOn) ? () => null : compiled.get(key)!.evaluate]),
  );
  const compute = (answers: Answers, reference_date: string): Values => {
    const values = read(answers);
    const today = todayOf(reference_date);
    for (const [key, evaluate] of steps) values[key] = evaluate(values, today);
    return values as Values;
  };
  const affectedBy = readersOf(steps.map(([key], i) => [i, [key, ...compiled.get(key)!.reads]]));
  const revise: ComputeValues['revise'] = (values, slugs, answers, reference_date) => {
    const table = values as Record<string, unknown>;
    const changed = new Set([...slugs].flatMap((slug) => readAgain(table, slug, answers)));
    const stale = new Set([...changed].flatMap(affectedBy));
    for (let i = 0; stale.size > 0; i++) {
      if (!stale.delete(i)) continue;
      const [key, evaluate] = steps[i]!;
      const value = evaluate(table, todayOf(reference_date));
      if (Object.is(value, table[key])) continue;
      table[key] = value;
      changed.add(key);
      for (const reader of affectedBy(key)) if (reader > i) stale.add(reader);
    }
    return changed;
  };
  return { compute, revise };
}

const todayOf = (reference_date: string): string | null => (isCalendarDate(reference_date) ? reference_date : null);

function compileOne(expr: Constant['expr'], kinds: Kinds): { evaluate: Evaluate; reads: Set<string> } {
  const job = compilation(kinds);
  return { evaluate: compileExpr(expr, job), reads: job.reads };
}

function byKey(constants: readonly Constant[]): Map<string, Constant> {
  const usable = new Map<string, Constant>();
  for (const constant of constants.slice(0, LIMITS.constants)) {
    if (!isJsonObject(constant) || typeof constant.key !== 'string' || !CONSTANT_KEY.test(constant.key)) continue;
    if (!usable.has(constant.key)) usable.set(constant.key, constant);
  }
  return usable;
}

/** Returns the answers and one entry for each constant, in dependency order. @spec D2-2.5.1 @gap D2-2.5.1 it also receives the kinds */
export const computeConstants = (constants: readonly Constant[], answers: Answers, reference_date: string, kinds: Kinds): Values =>
  compileConstants(constants, kinds)(answers, reference_date);
