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

/** Returns a function that finds what reads a key. */
export function readersOf<T>(reads: Iterable<readonly [reader: T, keys: Iterable<string>]>): (key: string) => readonly T[] {
  const readers = new Map<string, T[]>();
  for (const [reader, keys] of reads) {
    for (const key of keys) {
      const known = readers.get(key);
      if (known) known.push(reader);
      else readers.set(key, [reader]);
    }
  }
  return (key) => readers.get(key) ?? [];
}
