import type { Expr, FieldElement } from '../definition/definition.ts';
import { finding, type Finding, type FindingKey, type Where } from '../definition/finding.ts';
import type { Kind } from '../definition/kinds.ts';
import { MAX_LEVELS } from '../definition/limits.ts';
import { readsOf } from '../expressions/reads.ts';
import { isTooDeep } from '../expressions/walk.ts';
import { inferType, typeOfKind, type ExprType } from './infer-type.ts';
import type { Check, CheckContext } from './check-context.ts';

type Member = 'default' | 'min' | 'max';
const MEMBERS: readonly Member[] = ['default', 'min', 'max'];
const NEVER_COMPUTED: ReadonlySet<Kind> = new Set<Kind>(['binary', 'choice', 'multichoice']);

/** Defaults and bounds are on fields that may have them, fit their type, and read only keys answered by then. @spec D2-7 @gap D2-7 */
export const defaultsAndBoundsAreSound: Check = function* (context) {
  for (const { node, element } of context.elements) {
    if (element.kind !== 'field') continue;
    for (const member of MEMBERS) {
      const expr = element[member];
      if (expr) yield* memberFaults(context, node.key, element, member, expr);
    }
  }
};

function* memberFaults(context: CheckContext, node: string, element: FieldElement, member: Member, expr: Expr): Generator<Finding> {
  const where: Where = { node, element: element.slug };
  const note = (key: FindingKey, message: string) => finding(key, where, `The ${member} of ${element.slug} ${message}`);
  const kind = context.inputs.fieldTypes.kindOf(element.type);
  if (NEVER_COMPUTED.has(kind) || element.link) {
    yield note('field.default_not_allowed', 'is not allowed: files, choices and linked fields take none');
    return;
  }
  const mismatch = mismatchOf(context, kind, member, expr);
  if (mismatch) yield note(member === 'default' ? 'field.default_type_mismatch' : 'field.bound_type_mismatch', mismatch);
  const late = [...readsOf(expr)].filter((key) => !context.isKnown(key) || !context.isAvailable(key, node));
  for (const key of late) yield note('field.ref_not_answerable', `reads ${key}, which is not answered by then`);
  if (isTooDeep(expr)) yield note('field.expr_too_deep', `nests deeper than ${MAX_LEVELS} levels: move a part into a constant`);
}

/**
 * Returns why an expression does not fit its field. A default needs a text, number or date field, a bound needs a number or date field, and
 * the type of the expression must be that of the field. @spec D2-7
 */
function mismatchOf({ kinds }: CheckContext, kind: Kind, member: Member, expr: Expr): string | undefined {
  const wanted = typeOfKind(kind);
  if (wanted === 'any') return undefined;
  const allowed: readonly ExprType[] = member === 'default' ? ['text', 'number', 'date'] : ['number', 'date'];
  if (!allowed.includes(wanted)) return `needs a ${allowed.join(' or ')} field`;
  const { type, faults } = inferType(expr, kinds);
  if (faults[0] !== undefined) return `does not fit: ${faults[0]}`;
  return type === wanted || type === 'any' ? undefined : `gives ${type}, but the field holds ${wanted}`;
}
