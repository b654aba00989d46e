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
