import { isCalendarDate } from '../../field-types/calendar-date.ts';
import type { Expr, FieldElement, FlowNode } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { finite, held, numeric, type Values } from '../expressions/values.ts';
import type { Flow } from '../flow.ts';
import { questionsOf } from './shown.ts';

/** A value outside its bounds, and the bound it broke. */
export interface BoundFault {
  slug: string;
  bound: 'min' | 'max';
  limit: number | string;
}

/**
 * Values of a step below their min or above their max, typed or linked alike. Dates compare as dates, numbers exactly; a bound that
 * is null is none, and a value that is no number or date is the type check's affair. @spec D2-7 @gap D2-7
 */
export function boundFaults(flow: Flow, node: FlowNode, values: Values, reference_date: string): BoundFault[] {
  const compute = (expr: Expr | undefined) => (expr ? flow.evaluate(expr, values, reference_date) : null);
  return questionsOf(flow, node, values).flatMap((element) => (element.kind === 'field' ? faultsOf(flow, element, values, compute) : []));
}

function faultsOf(flow: Flow, { slug, type, min, max }: FieldElement, values: Values, compute: (expr?: Expr) => unknown): BoundFault[] {
  const read = (value: unknown) => comparable(flow.fieldTypes.kindOf(type), value);
  const [value, least, most] = [read(held(values, slug)), read(compute(min)), read(compute(max))];
  if (value === null) return [];
  const faults: BoundFault[] = [];
  if (least !== null && value < least) faults.push({ slug, bound: 'min', limit: least });
  if (most !== null && value > most) faults.push({ slug, bound: 'max', limit: most });
  return faults;
}

/** Numbers, or dates as their text: of one kind, so `<` puts both in order. */
function comparable(kind: Kind, value: unknown): number | string | null {
  if (kind === 'number') return finite(numeric(value));
  return kind === 'date' && isCalendarDate(value) ? value : null;
}
