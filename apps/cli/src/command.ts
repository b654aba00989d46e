import { readArguments, readNumber, UsageFault } from '@codase/command-line';
import type { Target } from './target.ts';

/** What a command works with. */
export interface Context {
  target: Target;
  /** Shows a result: a sentence or a table for people, or one line of JSON for programs. */
  print(said: string, result: unknown): void;
  /** Shows progress, apart from the results. */
  note(line: string): void;
  /** Aborted when the person wants the command to end. */
  signal: AbortSignal;
}

/** Runs a command. Returns its exit code, if it is another one than 0. */
export type Run = (context: Context) => Promise<number | void>;
/** Reads the words after a command first, so that no service is asked when they are wrong. */
export type Read = (words: string[]) => Run;

export const TEXT = { type: 'string' } as const;
export const FLAG = { type: 'boolean', default: false } as const;
export const textOr = (otherwise: string) => ({ type: 'string', default: otherwise }) as const;

export type Options = Parameters<typeof readArguments>[1];
export type Values<O extends Options> = ReturnType<typeof readArguments<O>>['values'];

/** Reads the options of a command that takes no other words. */
export function readOptions<const O extends Options>(words: string[], options: O): Values<O> {
  const { values, positionals } = readArguments(words, options);
  noWords(positionals);
  return values;
}

export function oneOf<T extends string>(choices: readonly T[], what: string, given: string): T {
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw new UsageFault(`${what} is one of ${choices.join(', ')}, not '${given}'.`);
  return found;
}

/** Throws when there are words that the command does not take. */
export function noWords(words: readonly string[]): void {
  if (words.length) throw new UsageFault(`'${words[0]}' is not understood.`);
}

/** Reads the name of a service at the gateway, which is also a part of subjects. */
export function readService(given: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(given)) return given;
  throw new UsageFault(`--service is '${given}': a service's name on the bus has letters, digits, _ and - only.`);
}

/** Reads the share code of a person of the demo. */
export const readPerson = (given: string) => oneOf(['ANA', 'BEN', 'CHIARA'] as const, 'A person', given.toUpperCase());

/** Reads how many rows of a list are wanted. */
export function readLimit(given: string | undefined): number {
  const limit = readNumber('--most', given) ?? 50;
  if (limit < 1 || limit > 200) throw new UsageFault('--most is a number from 1 to 200.');
  return limit;
}

export function readDay(option: string, given: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(given) ? new Date(`${given}T00:00:00Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given)) return given;
  throw new UsageFault(`${option} is '${given}': give a day, such as 2026-12-31.`);
}

/** Replaces control characters: texts come from other people, and must not control the terminal. */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '?');

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Reads a moment that is given as a date and time, or as how long ago it was: 90s, 10m, 2h, 7d. */
export function readTime(name: string, text: string, now: Date): Date {
  const moment = ago(text, now) ?? Date.parse(/^\d{4}-\d\d-\d\dT/.test(text) ? text : '');
  if (!Number.isNaN(moment)) return new Date(moment);
  throw new UsageFault(`${name} is '${text}': give a time such as 2026-01-31T12:00:00Z, or how long ago, such as 10m or 2h.`);
}

function ago(text: string, now: Date): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : now.getTime() - Number(count) * UNITS[unit as keyof typeof UNITS];
}
