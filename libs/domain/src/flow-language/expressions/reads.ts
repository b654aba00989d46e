import type { Condition, Expr } from '../definition/definition.ts';
import { compilation } from './compilation.ts';
import { compileCondition } from './condition.ts';
import { compileExpr } from './expression.ts';

/** Returns every key that an expression reads, including the keys in its conditions. */
export function readsOf(expr: Expr): ReadonlySet<string> {
  const job = compilation(new Map());
  compileExpr(expr, job);
  return job.reads;
}

/** Returns every key that a condition reads. */
export function fieldsOf(condition: Condition): ReadonlySet<string> {
  const job = compilation(new Map());
  compileCondition(condition, job);
  return job.reads;
}
