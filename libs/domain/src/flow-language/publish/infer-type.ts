import type { Expr, ValueType } from '../definition/definition.ts';
import type { Kind, Kinds } from '../definition/kinds.ts';
import { takes } from '../expressions/math.ts';
import { operandsOf } from '../expressions/walk.ts';
import { fits } from '../plugins/plugin-answer.ts';

/** The type of an expression. `other` is a list, an object or a file. `any` is an unknown type, which another check reports. */
export type ExprType = ValueType | 'other' | 'any';

/** Returns the type that a key of this kind has in an expression. @gap D2-2.5 select is text */
export function typeOfKind(kind: Kind | undefined): ExprType {
  if (kind === undefined || kind === 'unknown') return 'any';
  if (kind === 'choice') return 'text';
  return kind === 'text' || kind === 'number' || kind === 'date' || kind === 'boolean' ? kind : 'other';
}

/** The type of an expression, and the type errors inside it. @spec D2-7 */
interface Inferred {
  type: ExprType;
  faults: string[];
}

export function inferType(expr: Expr, kinds: Kinds): Inferred {
  const inner = operandsOf(expr).map((operand) => inferType(operand, kinds));
  const types = inner.map(({ type }) => type);
  const faults = inner.flatMap(({ faults }) => faults);
  const own = faultOf(expr, types);
  return { type: typeOf(expr, types, kinds), faults: own === null ? faults : [...faults, own] };
}

function typeOf(expr: Expr, operands: readonly ExprType[], kinds: Kinds): ExprType {
  switch (expr.type) {
    case 'lit':
      return expr.value_type;
    case 'ref':
      return typeOfKind(kinds.get(expr.key));
    case 'today':
      return 'date';
    case 'if':
      return operands.find((type) => type !== 'any') ?? 'any';
    case 'concat':
      return 'text';
    case 'datediff':
      return 'number';
    case 'math':
      return 'number';
    case 'too_deep':
      return 'any';
    case 'unreadable':
      return 'any';
  }
}

function faultOf(expr: Expr, operands: readonly ExprType[]): string | null {
  switch (expr.type) {
    case 'lit':
      return fits(expr.value_type, expr.value) ? null : `a literal is declared ${expr.value_type} but is not`;
    case 'if':
      return new Set(operands.filter((type) => type !== 'any')).size > 1 ? 'the branches of an if differ in type' : null;
    case 'datediff':
      return areAll('date', operands) ? null : 'datediff takes dates only';
    case 'math':
      if (!takes(expr.op, expr.args.length)) return `${expr.op} does not take ${expr.args.length} arguments`;
      return areAll('number', operands) ? null : `${expr.op} takes numbers only`;
    default:
      return null;
  }
}

const areAll = (type: ExprType, operands: readonly ExprType[]): boolean => operands.every((each) => each === type || each === 'any');
