import { failed, type Outcome, type Run, type Step } from './step.ts';

/** How many checks passed and failed. */
interface Tally {
  passed: number;
  failed: number;
}

/** Runs steps in turn, a long one beside those before it, and prints how each ended. An interrupted run goes no further. */
export async function runSteps(
  steps: readonly Step[],
  run: Run,
  say: (text: string) => void,
  begin?: (name: string) => void,
): Promise<Tally> {
  const tally: Tally = { passed: 0, failed: 0 };
  const inTurn = async (some: readonly Step[]) => {
    for (const step of some) {
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
  };
  const long = steps.findIndex(({ isLong }) => isLong);
  await Promise.all([inTurn(steps.slice(long, long + 1)), inTurn(steps.slice(0, Math.max(long, 0)))]);
  if (!run.signal.aborted) await inTurn(steps.slice(long + 1));
  return tally;
}

/** Runs one step. A step that throws has failed, and the other steps are run all the same. */
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
