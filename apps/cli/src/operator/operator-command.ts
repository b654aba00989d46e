import type { Platform } from './platform.ts';

/** What a command found or did: for people, and for programs. */
export interface Outcome {
  said: string;
  result: unknown;
}

/** Something an operator can ask for. It reads its words first, so that nothing is asked of anybody when they are wrong. */
export interface OperatorCommand {
  usage: string;
  what: string;
  read(words: string[]): (platform: Platform) => Promise<Outcome>;
}
