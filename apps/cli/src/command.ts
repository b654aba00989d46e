import { UsageFault } from '@cds/command-line';
import type { Target } from './target.ts';

/** What a command works with. */
export interface Context {
  target: Target;
  /** Shows a result: a sentence or a table for people, or one line of JSON for programs. */
  print(said: string, result: unknown): void;
  /** Tells how it goes, beside the results. */
  note(line: string): void;
  /** Somebody wants it to end. */
  signal: AbortSignal;
}

/**
 * Reads the words behind a command first, so that nothing is asked of anybody when they are wrong. Answers what to do, which answers the
 * exit code.
 */
export type Read = (words: string[]) => (context: Context) => Promise<number>;

export function oneOf<T extends string>(choices: readonly T[], what: string, given: string): T {
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw new UsageFault(`${what} is one of ${choices.join(', ')}, not '${given}'.`);
  return found;
}

/** Words that a command has no use for are a mistake. */
export function noWords(words: readonly string[]): void {
  if (words.length) throw new UsageFault(`'${words[0]}' is not understood.`);
}

/** The gateway's name of a service, which is also a part of subjects. */
export function readService(given: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(given)) return given;
  throw new UsageFault(`--service is '${given}': a service's name on the bus has letters, digits, _ and - only.`);
}

/** A day of the calendar. */
export function readDay(option: string, given: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(given) ? new Date(`${given}T00:00:00Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given)) return given;
  throw new UsageFault(`${option} is '${given}': give a day, such as 2026-12-31.`);
}
