import { isCalendarDate } from '../../field-types/calendar-date.ts';
import type { ConditionOp } from '../definition/definition.ts';
import type { Kind } from '../definition/kinds.ts';
import { compareText, finite, numeric } from './values.ts';

/** Whether a held value compares as asked. */
export type Match = (value: unknown) => boolean;

const noMatch: Match = () => false;

/** Compiles one comparison; it follows the field's kind. An operand that kind cannot read is null and matches nothing. @gap D2-2.2 */
export function compileMatch(kind: Kind, op: ConditionOp, value: unknown): Match {
  if (kind === 'multichoice') return compileChosen(op, value);
  const order = orderOf(kind, value);
  if (!order) return noMatch;
  if (op === 'in') return someOf(order, value);
  if (op === 'not_in') return noneOf(order, value);
  if (op === 'contains') return order === TEXT ? contains(value) : noMatch;
  return compare(order, op, value);
}

/** How values of one kind are read (null: not of that kind) and put in order. */
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
/** Equal or not, but neither before the other. */
const BOOLEAN: Order = { read: asBoolean, compare: (a: boolean, b: boolean) => (a === b ? 0 : NaN) };

const ORDERS: Partial<Record<Kind, Order>> = { text: TEXT, choice: TEXT, number: NUMBER, date: DATE, boolean: BOOLEAN };

/** A field whose type nobody knows is read by the type of what it is compared with. @gap D1-9 */
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

/** A null operand on either side makes every comparison false, ne included. @gap D2-2.2 */
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

/** Unequal to every member; so a member that cannot be read keeps it from holding, as NULL does in SQL. @gap D2-2.2 */
function noneOf(order: Order, value: unknown): Match {
  if (!Array.isArray(value)) return noMatch;
  const members = value.map((member) => compare(order, 'ne', member));
  return (given) => order.read(given) !== null && members.every((differs) => differs(given));
}

/** Part of the text, exactly; only text has parts, and the empty part is in every one. @gap D2-2.2 */
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
 * Several choices at once: eq and ne compare them as sets, contains asks for a choice, in for any of a list, not_in for none of it.
 * Nothing chosen is null. @gap D2-2.2
 */
function compileChosen(op: ConditionOp, value: unknown): Match {
  const test = own(CHOSEN, op);
  if (!test || value === null || value === undefined) return noMatch;
  const wanted = new Set<unknown>(Array.isArray(value) ? value : [value]);
  return (given) => Array.isArray(given) && given.length > 0 && test(new Set(given), wanted);
}

/** The table's entry for an operator that may be anything. */
const own = <T>(table: Partial<Record<ConditionOp, T>>, op: ConditionOp): T | undefined =>
  typeof op === 'string' && Object.hasOwn(table, op) ? table[op] : undefined;
