import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runNode, type Ended } from '../command/child.ts';
import { failed, type Outcome, type Run } from './step.ts';

/** A run in which no test ends for this long hangs. How long all tests together take depends on the machine. */
export const IDLE_SECONDS = 900;

/** The arguments that start Jest in this Node. */
export const JEST = ['--no-warnings', 'node_modules/jest/bin/jest.js'] as const;

const Summary = z.looseObject({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

/** The folder in which the tests of a run record what was answered over HTTP. */
export const exchangeLogOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'exchanges');
/** The temporary folder of a run's tests, which keeps what they leave apart from what other programs leave. */
export const temporaryOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'tmp');

const summaryFileOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'jest.json');
/** Whether Jest began and was ended in the middle: the leftovers and records of such a run prove nothing. */
export const wasEndedEarly = (run: Pick<Run, 'folder'>) => existsSync(temporaryOf(run)) && !existsSync(summaryFileOf(run));

/**
 * Runs every test of every project in one run, with the output shown as it comes. Each test is a check, and so is the completeness of the
 * run.
 */
export async function runJest(run: Run): Promise<Outcome> {
  const summaryFile = summaryFileOf(run);
  mkdirSync(exchangeLogOf(run));
  // As open as the system's temporary folder: under root, Postgres runs as another user.
  mkdirSync(temporaryOf(run));
  chmodSync(temporaryOf(run), 0o1777);
  const ended = await runNode([...JEST, '--json', `--outputFile=${summaryFile}`, ...run.jestArguments], {
    cwd: run.root,
    env: { CODASE_EXCHANGE_LOG: exchangeLogOf(run), TMPDIR: temporaryOf(run) },
    live: true,
    seconds: IDLE_SECONDS,
    signal: run.signal,
  });
  if (wasEndedEarly(run)) return failed(unfinished(ended));
  return outcomeOf(Summary.parse(JSON.parse(readFileSync(summaryFile, 'utf8'))), ended);
}

/** Counts what Jest reports. A suite that did not load has no tests to count, so it counts as one failure. */
export function outcomeOf(summary: z.infer<typeof Summary>, { code, timedOut }: Omit<Ended, 'output'>): Outcome {
  const { numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites: unloaded } = summary;
  const failures = numFailedTests + unloaded;
  if (code === 0 || (failures > 0 && !timedOut)) return { passed: passed + (failures ? 0 : 1), failed: failures };
  return { passed, failed: failures + 1, report: unfinished({ code, timedOut }) };
}

function unfinished({ code, timedOut }: Omit<Ended, 'output'>): string {
  if (timedOut)
    return `No test of Jest ended for ${IDLE_SECONDS} seconds, so it was ended: find the suite that hangs among those that are not above.`;
  return `Jest ended with ${code ?? 'a signal'} although no test failed: its message above says why (no test found, a broken setup).`;
}
