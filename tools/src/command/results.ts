import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from '@codase/command-line';
import { ROOT } from './root.ts';

/** Prints the message of a Fault and returns its exit code, or 0 when there is none. */
export async function exitCodeOf(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    console.error(error.message);
    return error.exitCode;
  }
}

/** Prints problems, notes, and how many problems there are, or that all is well. Returns the exit code. */
export function printProblems(problems: readonly string[], allWell: string, notes: readonly string[] = []): number {
  for (const line of [...problems, ...notes]) console.error(line);
  console.log(problems.length ? `${problems.length} problems` : allWell);
  return problems.length ? 1 : 0;
}

/** Writes a generated file when that is wanted, and says whether it is current. Returns the exit code. */
export function checkGenerated(name: string, file: string, text: string, write: boolean | undefined): number {
  const path = join(ROOT, file);
  if (write) writeFileSync(path, text);
  const isCurrent = readFileSync(path, 'utf8') === text;
  console.log(isCurrent ? `${file} is current` : `${file} is not current: npm run ${name} -- --write`);
  return isCurrent ? 0 : 1;
}
