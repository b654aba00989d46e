import type { MathOp } from '../definition/definition.ts';
import { finite } from './values.ts';

/** One operator: how many arguments it takes, and its result. Its arguments are already read as numbers, null when unreadable. */
interface Operation {
  least: number;
  most: number;
  apply(args: (number | null)[]): number | null;
}

const one = (f: (a: number) => number): Operation => ({ least: 1, most: 1, apply: ([a]) => finite(f(a!)) });
const two = (f: (a: number, b: number) => number): Operation => ({ least: 2, most: 2, apply: ([a, b]) => finite(f(a!, b!)) });
const fold = (f: (a: number, b: number) => number): Operation => ({
  least: 1,
  most: Infinity,
  apply: (args) => (args.length ? finite((args as number[]).reduce((a, b) => f(a, b))) : null),
});
/** Makes an operator return null when any argument is null. */
const strict = ({ apply, ...arity }: Operation): Operation => ({ ...arity, apply: (args) => (args.includes(null) ? null : apply(args)) });
/** Makes an operator skip unreadable arguments. A non-finite argument still gives null. @gap D2-2.5.3 */
const skipping = ({ apply, ...arity }: Operation): Operation => ({ ...arity, apply: (args) => apply(args.filter((arg) => arg !== null)) });

/** Rounds to an integer, with halves away from zero. */
const round = (a: number): number => Math.sign(a) * Math.round(Math.abs(a));

/** The math operators, on IEEE doubles. What is not finite is passed as NaN, and NaN becomes null. @spec D2-2.5.3 @gap D2-2.5.3 */
export const MATH: Record<MathOp, Operation> = {
  add: strict(fold((a, b) => a + b)),
  sub: strict(two((a, b) => a - b)),
  mul: strict(fold((a, b) => a * b)),
  div: strict(two((a, b) => a / b)), // by zero: not finite, so null
  mod: strict(two((a, b) => a % b)), // truncated division: the sign is the first argument's
  round: strict(one(round)),
  floor: strict(one(Math.floor)),
  ceil: strict(one(Math.ceil)),
  abs: strict(one(Math.abs)),
  neg: strict(one((a) => -a)),
  max: skipping(fold(Math.max)),
  min: skipping(fold(Math.min)),
};

/** Whether an operator takes that many arguments. @spec D2-2.5.3 */
export const takes = (op: MathOp, count: number): boolean => count >= MATH[op].least && count <= MATH[op].most;
