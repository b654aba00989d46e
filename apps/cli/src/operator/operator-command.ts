import { readArguments, UsageFault } from '@codase/command-line';
import type { Options, Values } from '../command.ts';
import type { Platform } from './platform.ts';

/** What a command found or did: `said` is for people, `result` for programs. */
export interface Outcome {
  said: string;
  result: unknown;
}

/** A command for operators. It reads its words first, so that no service is asked when they are wrong. */
export interface OperatorCommand {
  usage: string;
  what: string;
  read(words: string[]): (platform: Platform) => Promise<Outcome>;
}

/** Makes a command that takes as many words as its usage has before the options; or any number, which it counts itself. */
export function operatorCommand<const O extends Options = Record<string, never>>(
  { usage, what, options, words: wanted }: { usage: string; what: string; options?: O; words?: 'any' },
  read: (values: Values<O>, ...words: string[]) => ReturnType<OperatorCommand['read']>,
): OperatorCommand {
  const count = usage.replace(/ (\[|--).*/, '').split(' ').length - 1;
  const readWords = (words: string[]) => {
    const { values, positionals } = options ? readArguments(words, options) : { values: {}, positionals: words };
    if (wanted !== 'any' && positionals.length !== count) throw new UsageFault(`It is: ${usage}.`);
    return read(values as Values<O>, ...positionals);
  };
  return { usage, what, read: readWords };
}
