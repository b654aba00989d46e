import { isCalendarDate } from './calendar-date.ts';
import type { Shape } from './definition.ts';
import { fileFault, pagesFault } from './envelope.ts';
import { isEmpty, isJsonObject, member, type JsonObject } from './json-values.ts';
import { TEXT_CHARS } from './limits.ts';
import { isPhone } from './phone.ts';
import { isCountry, isUsState } from './geographic-codes.ts';
import { below, reason, type Reason, type ReasonCode } from './reasons.ts';
import type { Input } from './row.ts';

/** Returns the first rule of a primitive that a value breaks. Undefined when it breaks none. */
type Primitive = (value: unknown, shape: Shape) => Reason | undefined;

const line: Primitive = (value) => {
  if (typeof value !== 'string') return reason('not_text');
  if (UNKEPT.test(value)) return reason('not_characters');
  return value.length > TEXT_CHARS ? reason('too_long') : undefined;
};

// oxlint-disable-next-line no-control-regex -- what no database keeps as it came
const UNKEPT = /[\0\p{Cs}]/u;

const text =
  (code: ReasonCode, holds: (text: string, shape: Shape) => boolean): Primitive =>
  (value, shape) =>
    line(value, shape) ?? (holds(value as string, shape) ? undefined : reason(code));

const multilist: Primitive = (value, { options }) => {
  if (!Array.isArray(value)) return reason('not_a_list');
  const strange = value.findIndex((one) => !options?.includes(one));
  if (strange >= 0) return below(strange, reason('not_an_option'));
  const again = value.findIndex((one, i) => value.indexOf(one) < i);
  return again >= 0 ? below(again, reason('repeated')) : undefined;
};

const composite: Primitive = (value, shape) => {
  if (!isJsonObject(value)) return reason('not_an_object');
  const declared = shape.entries.map(({ key }) => key);
  return Object.keys(value).every((key) => declared.includes(key)) ? missingEntry(value, shape) : reason('unknown_key');
};

/** Checks an envelope with its metadata. Other keys are allowed, since a descendant of the type may declare more. @gap D1-2.5 */
const envelope =
  (fault: (value: JsonObject, shape: Shape) => Reason | undefined): Primitive =>
  (value, shape) =>
    isJsonObject(value) ? (fault(value, shape) ?? missingEntry(value, shape)) : reason('not_an_object');

function missingEntry(value: JsonObject, { entries }: Shape): Reason | undefined {
  const missing = entries.find(({ key, required }) => required && isEmpty(member(value, key)));
  return missing && below(missing.key, reason('missing'));
}

/** What each primitive requires of a value that is not empty. @spec D1-2.5 */
export const PRIMITIVES: Readonly<Record<Input, Primitive>> = {
  line,
  date: text('not_a_date', isCalendarDate),
  list: text('not_an_option', (choice, { options }) => options?.includes(choice) === true),
  multilist,
  country: text('not_a_country', isCountry),
  nationality: text('not_a_country', isCountry),
  state: text('not_a_state', isUsState),
  phone: text('not_a_phone', isPhone),
  composite,
  file: envelope((value, { lane }) => fileFault(value, lane)),
  pages: envelope((value) => pagesFault(value)),
};
