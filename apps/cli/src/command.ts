import { UsageFault } from '@codase/command-line';
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

/**
 * Reads the words after a command first, so that no service is asked when they are wrong. Returns the function that runs the command, which
 * returns the exit code.
 */
export type Read = (words: string[]) => (context: Context) => Promise<number>;

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

/** Reads a day of the calendar. */
export function readDay(option: string, given: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(given) ? new Date(`${given}T00:00:00Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(given)) return given;
  throw new UsageFault(`${option} is '${given}': give a day, such as 2026-12-31.`);
}
