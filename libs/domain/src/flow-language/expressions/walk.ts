import type { Expr } from '../definition/definition.ts';

/** Returns the expressions directly inside an expression. Conditions are not expressions. */
export function operandsOf(expr: Expr): Expr[] {
  if (expr.type === 'if') return [...expr.cases.map(({ then }) => then), expr.else];
  if (expr.type === 'concat') return expr.parts;
  if (expr.type === 'datediff') return [expr.from, expr.to];
  return expr.type === 'math' ? expr.args : [];
}

/** Whether the expression, or a part of it, was not read because it nests deeper than allowed. @spec D2-8 */
export const isTooDeep = (expr: Expr): boolean => expr.type === 'too_deep' || operandsOf(expr).some(isTooDeep);
