import { isCalendarDate } from '../../field-types/calendar-date.ts';
import type { ConditionOp } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { compareText, finite, numeric } from './values.ts';

/** Whether a value fulfils a comparison. */
type Match = (value: unknown) => boolean;

const noMatch: Match = () => false;

/** Compiles one comparison, by the field's kind. An operand that the kind cannot read is null, and matches nothing. @gap D2-2.2 */
export function compileMatch(kind: Kind, op: ConditionOp, value: unknown): Match {
  if (kind === 'multichoice') return compileChosen(op, value);
  const order = orderOf(kind, value);
  if (!order) return noMatch;
  if (op === 'in') return someOf(order, value);
  if (op === 'not_in') return noneOf(order, value);
  if (op === 'contains') return order === TEXT ? contains(value) : noMatch;
  return compare(order, op, value);
}

/** How values of one kind are read and compared. A value that is not of the kind is read as null. */
interface Order {
  read(value: unknown): string | number | boolean | null;
  compare(a: never, b: never): number;
}

const asText = (value: unknown): string | null => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null);
const asDate = (value: unknown): string | null => (isCalendarDate(value) ? value : null);
const asBoolean = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

const TEXT: Order = { read: asText, compare: compareText };
const NUMBER: Order = { read: (value) => finite(numeric(value)), compare: (a: number, b: number) => a - b };
const DATE: Order = { read: asDate, compare: compareText };
/** Booleans are equal or not, but none is less than the other. */
const BOOLEAN: Order = { read: asBoolean, compare: (a: boolean, b: boolean) => (a === b ? 0 : NaN) };

const ORDERS: Partial<Record<Kind, Order>> = { text: TEXT, choice: TEXT, number: NUMBER, date: DATE, boolean: BOOLEAN };

/** Returns how to compare. A field of an unknown type is read by the type of the value that it is compared with. @gap D1-9 */
function orderOf(kind: Kind, value: unknown): Order | undefined {
  if (kind !== 'unknown') return ORDERS[kind];
  const sample: unknown = Array.isArray(value) ? value[0] : value;
  return typeof sample === 'number' ? NUMBER : typeof sample === 'boolean' ? BOOLEAN : TEXT;
}

const OUTCOMES: Partial<Record<ConditionOp, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  ne: (order) => order !== 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
};

/** Compiles a comparison with one value. A null operand on either side makes every comparison false, also `ne`. @gap D2-2.2 */
function compare({ read, compare }: Order, op: ConditionOp, value: unknown): Match {
  const outcome = own(OUTCOMES, op);
  const right = read(value);
  if (!outcome || right === null) return noMatch;
  return (given) => {
    const left = read(given);
    return left !== null && outcome(compare(left as never, right as never));
  };
}

function someOf(order: Order, value: unknown): Match {
  const members = Array.isArray(value) ? value.map((member) => compare(order, 'eq', member)) : [];
  return (given) => members.some((equals) => equals(given));
}

/** Matches a value that is unequal to every member. A member that cannot be read makes it false, as NULL does in SQL. @gap D2-2.2 */
function noneOf(order: Order, value: unknown): Match {
  if (!Array.isArray(value)) return noMatch;
  const members = value.map((member) => compare(order, 'ne', member));
  return (given) => order.read(given) !== null && members.every((differs) => differs(given));
}

/** Matches a text that contains this part exactly. Every text contains the empty part. @gap D2-2.2 */
function contains(value: unknown): Match {
  const part = asText(value);
  return part === null ? noMatch : (given) => asText(given)?.includes(part) ?? false;
}

type Sets = (chosen: ReadonlySet<unknown>, wanted: ReadonlySet<unknown>) => boolean;
const someChosen: Sets = (chosen, wanted) => [...wanted].some((choice) => chosen.has(choice));
const allChosen: Sets = (chosen, wanted) => [...wanted].every((choice) => chosen.has(choice));
const sameChoices: Sets = (chosen, wanted) => chosen.size === wanted.size && allChosen(chosen, wanted);

const CHOSEN: Partial<Record<ConditionOp, Sets>> = {
  eq: sameChoices,
  ne: (chosen, wanted) => !sameChoices(chosen, wanted),
  contains: allChosen,
  in: someChosen,
  not_in: (chosen, wanted) => !someChosen(chosen, wanted),
};

/**
 * Compiles a comparison of several choices: `eq` and `ne` compare them as sets, `contains` requires a choice, `in` requires any of a list,
 * `not_in` none of it. An answer without a choice counts as null. @gap D2-2.2
 */
function compileChosen(op: ConditionOp, value: unknown): Match {
  const test = own(CHOSEN, op);
  if (!test || value === null || value === undefined) return noMatch;
  const wanted = new Set<unknown>(Array.isArray(value) ? value : [value]);
  return (given) => Array.isArray(given) && given.length > 0 && test(new Set(given), wanted);
}

/** Returns the table's entry for an operator. Undefined for an unknown one, which may be any value. */
const own = <T>(table: Partial<Record<ConditionOp, T>>, op: ConditionOp): T | undefined =>
  typeof op === 'string' && Object.hasOwn(table, op) ? table[op] : undefined;
