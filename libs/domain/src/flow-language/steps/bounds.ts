import { isCalendarDate } from '../../field-types/calendar-date.ts';
import type { Expr, FieldElement, FlowNode } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { finite, ownValue, numeric, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { questionsOf } from './shown-elements.ts';

/** A value outside its bounds, and the bound that it breaks. */
export interface BoundFault {
  slug: string;
  bound: 'min' | 'max';
  limit: number | string;
}

/**
 * Returns the values of a step that are below their min or above their max, typed or linked. Dates are compared as dates, numbers exactly.
 * A null bound is ignored. A value that is no number or date is left to the type check. @spec D2-7 @gap D2-7
 */
export function boundFaults(flow: Flow, node: FlowNode, values: Values, reference_date: string): BoundFault[] {
  const compute = (expr: Expr | undefined) => (expr ? flow.evaluate(expr, values, reference_date) : null);
  return questionsOf(flow, node, values).flatMap((element) => (element.kind === 'field' ? faultsOf(flow, element, values, compute) : []));
}

function faultsOf(flow: Flow, { slug, type, min, max }: FieldElement, values: Values, compute: (expr?: Expr) => unknown): BoundFault[] {
  const read = (value: unknown) => comparable(flow.fieldTypes.kindOf(type), value);
  const [value, least, most] = [read(ownValue(values, slug)), read(compute(min)), read(compute(max))];
  if (value === null) return [];
  const faults: BoundFault[] = [];
  if (least !== null && value < least) faults.push({ slug, bound: 'min', limit: least });
  if (most !== null && value > most) faults.push({ slug, bound: 'max', limit: most });
  return faults;
}

/** Returns a number, or the text of a date, for comparing with `<`. Both sides are of the same kind. Null for any other value. */
function comparable(kind: Kind, value: unknown): number | string | null {
  if (kind === 'number') return finite(numeric(value));
  return kind === 'date' && isCalendarDate(value) ? value : null;
}
