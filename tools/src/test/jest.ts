import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runNode, type Ended } from '../command/child.ts';
import { failed, type Outcome, type Run } from './step.ts';

/** A run in which no test ends for so long hangs. How long all of them take depends on the machine. */
export const IDLE_SECONDS = 900;

/** How Jest is started, in this Node. With modules of a realm a worker loads them in half the time (libs/testing/jest/modules.cjs). */
export const JEST = ['--no-warnings', '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'] as const;

const Summary = z.looseObject({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numRuntimeErrorTestSuites: z.number(),
});

/** Where the tests of a run record what was answered over HTTP. */
export const exchangeLogOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'exchanges');
/** Where everything that a run's tests put into the temporary folder lies, so that what they leave can be told from what others leave. */
export const temporaryOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'tmp');

const summaryFileOf = ({ folder }: Pick<Run, 'folder'>) => join(folder, 'jest.json');
/** Whether Jest began and was ended in the middle: what such a run left or recorded says nothing. */
export const wasEndedEarly = (run: Pick<Run, 'folder'>) => existsSync(temporaryOf(run)) && !existsSync(summaryFileOf(run));

/** Every test of every project in one run, shown as it goes; each test is a check, and so is that the run itself was whole. */
export async function runJest(run: Run): Promise<Outcome> {
  const summaryFile = summaryFileOf(run);
  mkdirSync(exchangeLogOf(run));
  // As open as the system's own: Postgres runs as another user when we are root.
  mkdirSync(temporaryOf(run));
  chmodSync(temporaryOf(run), 0o1777);
  const ended = await runNode([...JEST, '--json', `--outputFile=${summaryFile}`, ...run.jestArguments], {
    cwd: run.root,
    env: { CDS_EXCHANGE_LOG: exchangeLogOf(run), TMPDIR: temporaryOf(run) },
    live: true,
    seconds: IDLE_SECONDS,
    signal: run.signal,
  });
  if (wasEndedEarly(run)) return failed(unfinished(ended));
  return outcomeOf(Summary.parse(JSON.parse(readFileSync(summaryFile, 'utf8'))), ended);
}

/** Counts what Jest tells. A suite that did not load has no tests to count, so it counts itself. */
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
