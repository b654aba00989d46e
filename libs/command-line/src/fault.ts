/** A fault that the person at the terminal can mend. Its message says how, and is never shown with a stack trace. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly exitCode: number;

  constructor(sentences: string | string[], options: { exitCode?: number; cause?: unknown } = {}) {
    super([sentences].flat().join('\n'), { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}

/** The message of a thrown value of any kind. */
export const messageOf = (thrown: unknown): string => (has(thrown, 'message') ? String(thrown.message) : String(thrown));

/** Whether a system call failed with one of these codes. */
export const failedWith = (thrown: unknown, ...codes: string[]): boolean => has(thrown, 'code') && codes.includes(String(thrown.code));

const has = <K extends string>(thrown: unknown, name: K): thrown is Record<K, unknown> =>
  typeof thrown === 'object' && thrown !== null && name in thrown;

/** Sends a signal to a process that may have ended in the meantime. */
export function ignoringGone(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!failedWith(error, 'ESRCH')) throw error;
  }
}

/** Turns a failure at the start into a Fault with its message, whatever kind of error it is. */
export const asFault = (thrown: unknown, prefix = ''): Fault =>
  thrown instanceof Fault ? thrown : new Fault(`${prefix}${messageOf(thrown)}`, { cause: thrown });
