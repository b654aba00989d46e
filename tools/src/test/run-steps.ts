import { failed, type Outcome, type Run, type Step } from './step.ts';

/** How many checks passed and failed. */
export interface Tally {
  passed: number;
  failed: number;
}

/** Runs steps one after the other, telling how each went; an interrupted run fails and goes no further. */
export async function runSteps(
  steps: readonly Step[],
  run: Run,
  say: (text: string) => void,
  begin?: (name: string) => void,
): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0 };
  for (const step of steps) {
    begin?.(step.name);
    const start = performance.now();
    const outcome = await runStep(step, run);
    tally.passed += outcome.passed;
    tally.failed += outcome.failed;
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    say(`${mark(outcome)} ${step.name.padEnd(12)} ${seconds} s${note(outcome)}`);
    if (outcome.report) say(outcome.report.trimEnd());
    if (run.signal.aborted) break;
  }
  return tally;
}

/** A step that throws has failed; it does not take the others with it. */
async function runStep(step: Step, run: Run): Promise<Outcome> {
  try {
    return await step.run(run);
  } catch (fault) {
    return failed(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault));
  }
}

const mark = ({ failed, leftOut }: Outcome) => (leftOut ? '–' : failed ? '✗' : '✓');

const note = ({ passed, failed, leftOut }: Outcome) =>
  leftOut ? ` (left out: ${leftOut})` : passed + failed > 1 ? ` (${passed} passed, ${failed} failed)` : '';
