import { isEmpty, isJsonObject } from '../../field-types/json-values.ts';
import type { Condition, Leaf } from '../definition/definition.ts';
import { MAX_LEVELS } from '../definition/limits.ts';
import { compileMatch } from './comparison.ts';
import type { Compilation } from './compilation.ts';
import { ownValue, type Table } from './values.ts';

/** A compiled condition. */
export type Test = (values: Table) => boolean;

const never: Test = () => false;

/** Checks a condition once and compiles it into closures. A malformed condition never holds. @spec D2-2.5.4 @gap D2-2.2 */
export function compileCondition(condition: Condition, job: Compilation, level = 1): Test {
  if (level > MAX_LEVELS || --job.left < 0 || !isJsonObject(condition)) return never;
  const given: Condition = condition;
  if ('and' in given) return every(tests(given.and, job, level));
  if ('or' in given) return some(tests(given.or, job, level));
  if ('not' in given) return not(compileCondition(given.not, job, level + 1));
  return compileLeaf(given, job);
}

const tests = (list: Condition[], job: Compilation, level: number): Test[] =>
  Array.isArray(list) ? list.map((each) => compileCondition(each, job, level + 1)) : [never];
const every =
  (all: Test[]): Test =>
  (values) =>
    all.every((test) => test(values));
const some =
  (any: Test[]): Test =>
  (values) =>
    any.some((test) => test(values));
const not =
  (test: Test): Test =>
  (values) =>
    !test(values);

function compileLeaf({ field, op, value }: Leaf, { kinds, reads }: Compilation): Test {
  if (typeof field !== 'string') return never;
  reads.add(field);
  if (op === 'is_empty') return (values) => isEmpty(ownValue(values, field));
  if (op === 'is_not_empty') return (values) => !isEmpty(ownValue(values, field));
  const matches = compileMatch(kinds.get(field) ?? 'unknown', op, value);
  return (values) => matches(ownValue(values, field));
}
