import { join } from 'node:path';
import { INTERRUPTED, interruption } from '@codase/command-line';
import { command, downloadsFolder, findNatsServer, type NatsServer } from '@codase/servers';
import { ROOT } from './root.ts';

/** Does work that Ctrl-C ends early, and judges its result. Returns the exit code. */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>, judge: (result: T) => number): Promise<number> {
  const signal = interruption();
  try {
    const result = await work(signal);
    return signal.aborted ? INTERRUPTED : judge(result);
  } catch (error) {
    if (signal.aborted) return INTERRUPTED;
    throw error;
  }
}

/** What an experiment is given: the program of its own NATS, and how it is ended and says how far it is. */
interface Given {
  nats: NatsServer;
  signal: AbortSignal;
  progress(line: string): void;
}

/** What an experiment has shown: lines for people, and members of a line of JSON. */
interface Shown {
  ok: boolean;
  lines: readonly string[];
  json: object;
}

export async function experiment<T>(name: string, run: (given: Given) => Promise<T>, judge: (result: T) => Shown): Promise<number> {
  const nats = await findNatsServer({ cacheDir: join(downloadsFolder(ROOT), 'nats') });
  const progress = (line: string) => console.error(`${name}: ${line}`);
  return untilInterrupted(
    (signal) => run({ nats, signal, progress }),
    (result) => {
      const { ok, lines, json } = judge(result);
      for (const line of lines) console.log(line);
      console.log(JSON.stringify({ ...json, ok }));
      return ok ? 0 : 1;
    },
  );
}

/** Whether this is root on Linux, with a program that answers these arguments. */
export const isRootWith = async (program: string, args: readonly string[]): Promise<boolean> =>
  process.platform === 'linux' && process.getuid?.() === 0 && (await command(program, args, { seconds: 10 })).ok;
