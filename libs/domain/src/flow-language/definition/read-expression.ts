import { DATE_UNITS, MATH_OPS, VALUE_TYPES, type Expr, type IfExpr } from './definition.ts';
import { LIMITS, MAX_LEVELS } from './limits.ts';
import { condition, key, scalar } from './read-condition.ts';
import { list, object, oneOf, optional, string, variant, type Read } from './reading.ts';

const word = <const T extends string>(type: T): Read<T> => oneOf([type]);

const shapesAt = (level: number): Record<string, Read<Expr>> => {
  const inner = expressionAt(level + 1);
  const operands = list(inner, LIMITS.operands);
  // oxlint-disable-next-line unicorn/no-thenable -- the specification's word
  const cases = list(object<IfExpr['cases'][number]>({ when: condition, then: inner }), LIMITS.operands);
  return {
    lit: object({ type: word('lit'), value_type: oneOf(VALUE_TYPES), value: scalar }),
    ref: object({ type: word('ref'), key }),
    today: object({ type: word('today') }),
    if: object({ type: word('if'), cases, else: inner }),
    concat: object({ type: word('concat'), parts: operands, sep: optional(string(LIMITS.label)) }),
    datediff: object({ type: word('datediff'), unit: oneOf(DATE_UNITS), from: inner, to: inner }),
    math: object({ type: word('math'), op: oneOf(MATH_OPS), args: operands }),
  };
};

/** Reads an expression at a level. An expression below the last level is not read but marked, so that publishing reports it. @spec D2-8 */
const expressionAt =
  (level: number): Read<Expr> =>
  (value, notes) =>
    level > MAX_LEVELS ? { type: 'too_deep' } : variant('type', shapesAt(level))(value, notes);

/** Reads a whole expression of the constants language. @spec D2-2.5 */
export const expression: Read<Expr> = expressionAt(1);
