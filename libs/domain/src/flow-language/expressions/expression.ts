import { parseDate } from '../../field-types/calendar-date.ts';
import { isJsonObject } from '../../field-types/json-values.ts';
import type { Expr, MathOp } from '../definition/definition.ts';
import { LIMITS, MAX_LEVELS } from '../definition/limits.ts';
import type { Compilation } from './compilation.ts';
import { compileCondition } from './condition.ts';
import { DATE_DIFF } from './dates.ts';
import { MATH, takes } from './math.ts';
import { ownValue, numeric, textOf, type Table } from './values.ts';

/** A compiled expression. It never throws. The result is null when it cannot be computed. */
export type Evaluate = (values: Table, today: string | null) => unknown;

const nothing: Evaluate = () => null;

/** Compiles an expression into closures. A part that is malformed or beyond a limit evaluates to null. @spec D2-2.5 @spec D2-8 */
export function compileExpr(expr: Expr, job: Compilation, level = 1): Evaluate {
  if (level > MAX_LEVELS || --job.left < 0 || !isJsonObject(expr)) return nothing;
  const compile = Object.hasOwn(COMPILE, word(expr.type)) ? (COMPILE[expr.type as keyof Shapes] as Compile<Expr>) : undefined;
  return compile ? compile(expr, job, level + 1) : nothing;
}

type Shapes = { [E in Expr as E['type']]: E };
type Compile<E> = (expr: E, job: Compilation, level: number) => Evaluate;

/** One function for each row of the specification's table. `level` is the level of the operands. @spec D2-2.5 */
const COMPILE: { [T in keyof Shapes]: Compile<Shapes[T]> } = {
  lit: ({ value = null }) => (typeof value === 'object' ? nothing : () => value),
  ref: ({ key }, { reads }) => {
    if (typeof key !== 'string') return nothing;
    reads.add(key);
    return (values) => ownValue(values, key);
  },
  today: () => (_, today) => today,
  if: compileIf,
  concat: compileConcat,
  datediff: compileDateDiff,
  math: ({ op, args }, job, level) => compileMath(op, operands(args, job, level)),
  too_deep: () => nothing,
  unreadable: () => nothing,
};

/** Evaluates the first case whose condition holds, and ignores the others. */
function compileIf({ cases, else: otherwise }: Shapes['if'], job: Compilation, level: number): Evaluate {
  const tests = records<Shapes['if']['cases'][number]>(cases).map(({ when, then }) => ({
    holds: compileCondition(when, job),
    result: compileExpr(then, job, level),
  }));
  const last = compileExpr(otherwise, job, level);
  return (values, today) => (tests.find(({ holds }) => holds(values))?.result ?? last)(values, today);
}

/** Joins parts. A null part is empty. A text above the limit becomes null: each constant could double the one before it. @gap D2-8 */
function compileConcat({ parts, sep }: Shapes['concat'], job: Compilation, level: number): Evaluate {
  const compiled = operands(parts, job, level);
  const between = word(sep);
  return (values, today) => {
    let result = '';
    for (const [i, part] of compiled.entries()) {
      result += (i > 0 ? between : '') + (textOf(part(values, today)) ?? '');
      if (result.length > LIMITS.computed_text) return null;
    }
    return result;
  };
}

function compileDateDiff({ unit, from, to }: Shapes['datediff'], job: Compilation, level: number): Evaluate {
  const [start, end] = [compileExpr(from, job, level), compileExpr(to, job, level)];
  const difference = Object.hasOwn(DATE_DIFF, word(unit)) ? DATE_DIFF[unit] : undefined;
  if (!difference) return nothing;
  return (values, today) => {
    const first = parseDate(start(values, today));
    const last = parseDate(end(values, today));
    return first && last ? difference(first, last) : null;
  };
}

/** Applies an operator. The result is null for a wrong number of arguments, and for an unknown operator. @gap D2-2.5.3 */
function compileMath(op: MathOp, args: Evaluate[]): Evaluate {
  if (!Object.hasOwn(MATH, word(op)) || !takes(op, args.length)) return nothing;
  const { apply } = MATH[op];
  return (values, today) => apply(args.map((arg) => numeric(arg(values, today))));
}

const operands = (list: Expr[], job: Compilation, level: number): Evaluate[] =>
  Array.isArray(list) ? list.map((expr) => compileExpr(expr, job, level)) : [];
const records = <T>(list: T[]): T[] => (Array.isArray(list) ? list.filter(isJsonObject) : []);
const word = (value: unknown): string => (typeof value === 'string' ? value : '');
