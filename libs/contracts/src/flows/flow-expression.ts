import { z } from 'zod';
import { named } from '../core/named.ts';
import { ValueType } from '../plugins/shapes.ts';

/** A literal. */
export type Scalar = string | number | boolean | null;
const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const ConditionOp = z.enum(['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'not_in', 'contains', 'is_empty', 'is_not_empty']);

/** A test over answers and constants. @spec D2-2.2 @gap D2-2.2 */
export type Condition =
  | { and: Condition[] }
  | { or: Condition[] }
  | { not: Condition }
  | { field: string; op: z.infer<typeof ConditionOp>; value?: Scalar | Scalar[] | undefined };
export const Condition: z.ZodType<Condition> = named(
  'Condition',
  z.lazy(() =>
    // Leaves first: nearly all conditions are leaves, and every shape that is tried before and fails costs ten times as much.
    z.union([
      z.object({ field: z.string(), op: ConditionOp, value: z.union([Scalar, z.array(Scalar)]).optional() }),
      z.object({ and: z.array(Condition) }),
      z.object({ or: z.array(Condition) }),
      z.object({ not: Condition }),
    ]),
  ),
);

const DateUnit = z.enum(['days', 'weeks', 'months', 'years']);
const MathOp = z.enum(['add', 'sub', 'mul', 'div', 'mod', 'round', 'floor', 'ceil', 'abs', 'neg', 'max', 'min']);

/** The constants language: one shape per row of its table. @spec D2-2.5 */
export type Expr =
  | { type: 'lit'; value_type: z.infer<typeof ValueType>; value: Scalar }
  | { type: 'ref'; key: string }
  | { type: 'today' }
  | { type: 'if'; cases: { when: Condition; then: Expr }[]; else: Expr }
  | { type: 'concat'; parts: Expr[]; sep?: string | undefined }
  | { type: 'datediff'; unit: z.infer<typeof DateUnit>; from: Expr; to: Expr }
  | { type: 'math'; op: z.infer<typeof MathOp>; args: Expr[] };
export const Expr: z.ZodType<Expr> = named(
  'Expr',
  z.lazy(() =>
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('lit'), value_type: ValueType, value: Scalar }),
      z.object({ type: z.literal('ref'), key: z.string() }),
      z.object({ type: z.literal('today') }),
      // oxlint-disable-next-line unicorn/no-thenable -- the specification's word, on a value nobody awaits
      z.object({ type: z.literal('if'), cases: z.array(z.object({ when: Condition, then: Expr })), else: Expr }),
      z.object({ type: z.literal('concat'), parts: z.array(Expr), sep: z.string().optional() }),
      z.object({ type: z.literal('datediff'), unit: DateUnit, from: Expr, to: Expr }),
      z.object({ type: z.literal('math'), op: MathOp, args: z.array(Expr) }),
    ]),
  ),
);
