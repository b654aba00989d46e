import { isErrorKey, type ErrorKey, type PlainKey } from './errors.ts';

/** Names the refusal of a failed check. `expected` says what was expected, when the catalogue's message does not say it for this member. */
export const fails = (key: PlainKey, expected?: string) => ({ error: expected === undefined ? key : `${key}: ${expected}` });

/** Says what a check expects, in words that follow the name of the member. The refusal is `request.invalid`. */
export const expects = (expected: string) => ({ error: expected });

/** Reads the message of a failed check: the refusal it names, if any, and what it expected, if it says so. */
export function readFault(message: string): { key?: ErrorKey; expected?: string } {
  const [key = '', ...rest] = message.split(': ');
  if (!isErrorKey(key)) return { expected: message };
  return rest.length === 0 ? { key } : { key, expected: rest.join(': ') };
}
