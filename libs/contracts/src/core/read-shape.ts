import type { z } from 'zod';
import type { ErrorKey } from './errors.ts';
import { readFault } from './fails.ts';
import { Refusal } from './refusal.ts';

/** The part of a request that a shape describes. It decides how members are named in a refusal. */
export type RequestPart = 'body' | 'form' | 'query' | 'header' | 'path' | 'message';

/** Reads a value by its shape. Refuses a misfit with the member's name and what was expected, never with what was sent. */
export function readShape<S extends z.ZodType>(shape: S, value: unknown, part: RequestPart): z.output<S> {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  // Messages of our own make a parse six times slower, so only a value that does not fit is parsed with them.
  const { error } = shape.safeParse(value, { error: describeIssue });
  throw refusalFor((error ?? parsed.error).issues.flatMap(innermost), part);
}

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue;

/** Returns the refusal of failed checks. A check that names a refusal goes before one that does not. */
function refusalFor(issues: readonly Issue[], part: RequestPart): Refusal {
  const issue = issues.find(({ message }) => readFault(message).key !== undefined) ?? issues[0]!;
  const { key = 'request.invalid', expected = wordsFor(issue, key) } = readFault(issue.message);
  const refusal = new (Refusal as new (key: ErrorKey) => Refusal)(key);
  // An id that cannot exist is not found, and no reason is given.
  if (refusal.status === 404 && part !== 'message') return refusal;
  // Only our own services send messages on a subject. A message that does not fit is their fault, whatever the same check says of a
  // request.
  const answered = part === 'message' ? new Refusal('request.invalid') : refusal;
  return answered.because(`${nameOf(issue.path, part)}: ${expected ?? refusal.message}`);
}

/** Returns the limit of a value that is too long. Otherwise the catalogue's message is enough, except for `request.invalid`. */
const wordsFor = (issue: Issue, key: ErrorKey) =>
  issue.code === 'too_big' || key === 'request.invalid' ? expectation(issue as RawIssue) : undefined;

const NAMED: Readonly<Record<RequestPart, string>> = {
  body: '',
  message: '',
  form: '',
  query: 'query parameter ',
  header: 'header ',
  path: 'path parameter ',
};
const nameOf = (path: readonly PropertyKey[], part: RequestPart) => (path.length === 0 ? part : NAMED[part] + path.map(readable).join('.'));

/** Returns the issues to report. When a value fits none of several shapes, those of the shape that it comes closest to. */
function innermost(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || readFault(issue.message).key !== undefined || issue.message !== NO_SHAPE) return [issue];
  const closest = issue.errors.toSorted((one, other) => depth(other) - depth(one) || one.length - other.length)[0];
  if (!closest || depth(closest) === 0) return [issue];
  return closest.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] })).flatMap(innermost);
}
const depth = (issues: readonly Issue[]) => Math.max(0, ...issues.map(({ path }) => path.length));
const NO_SHAPE = 'has none of the shapes that are taken here';

/** Returns what a check expected that has no message of its own, in words that follow the name of the member. */
export function describeIssue(issue: RawIssue): string {
  const expected = expectation(issue);
  return issue.input === undefined && issue.code !== 'unrecognized_keys' ? `is missing; it ${expected}` : expected;
}

function expectation(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected] ?? `of type ${issue.expected}`}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return `${sizeOf(issue.origin, 'at most')} ${issue.maximum}${unitOf(issue.origin)}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in COUNTED) return 'must not be empty';
      return `${sizeOf(issue.origin, 'at least')} ${issue.minimum}${unitOf(issue.origin)}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? 'does not have the form that is expected';
    case 'unrecognized_keys':
      return `does not take ${issue.keys.slice(0, NAMES).map(readable).join(', ')}`;
    case 'invalid_key':
      return 'has a member whose name does not have the form that is expected';
    case 'invalid_union':
      return NO_SHAPE;
    default:
      return 'is not valid';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
  nonoptional: 'given',
};

const FORMATS: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address',
  url: 'must be a web address',
  datetime: 'must be a moment with its offset, as 2026-03-02T09:30:00Z',
  date: 'must be a calendar day, as 2026-03-02',
};

const COUNTED: Readonly<Record<string, string>> = { string: ' characters', array: ' entries', set: ' entries', map: ' entries' };
const unitOf = (origin: string) => COUNTED[origin] ?? '';
const sizeOf = (origin: string, bound: string) => (origin in COUNTED ? `must have ${bound}` : `must be ${bound}`);

/** How many names chosen by a caller are repeated in a refusal, and how much of each: enough to find them. */
const NAMES = 5;
const NAME_CHARS = 64;
const readable = (name: PropertyKey) =>
  String(name)
    .slice(0, NAME_CHARS)
    .replace(/[^\p{L}\p{N}\p{P}\p{S} ]/gu, '?');
