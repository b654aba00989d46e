import { rmSync } from 'node:fs';
import { command, INTERRUPTED, interruption } from '@codase/command-line';
import { ROOT } from '../command/root.ts';
import { leftProcesses } from './leftovers.ts';
import { readOptions } from './options.ts';
import { makeRunFolder } from './run-folder.ts';
import { runSteps } from './run-steps.ts';
import type { Run } from './step.ts';
import { STEPS } from './steps.ts';

const HELP = `npm test [-- options] [-- arguments for Jest]   checks everything there is to check

  --only a,b   only these steps: ${STEPS.map(({ name }) => name).join(', ')}

Everything else is passed to Jest. Where it names some tests (npm test -- libs/runtime), Jest alone runs. The last line
is how many checks passed and failed: every step is one, every Jest test is one. Exit code 1 when any failed.`;

await command(HELP, async (args) => {
  const names = STEPS.map(({ name }) => name);
  const { only, jestArguments } = readOptions(args, names);
  const steps = STEPS.filter(({ name }) => only.length === 0 || only.includes(name));
  const signal = interruption();
  const run: Run = { root: ROOT, folder: makeRunFolder(), jestArguments, signal };
  try {
    const { passed, failed } = await runSteps(steps, run, console.log, process.stdout.isTTY && !process.env.CI ? show : undefined);
    await endLeftovers(run.folder);
    console.log(`${passed} passed, ${failed} failed`);
    return signal.aborted ? INTERRUPTED : failed ? 1 : 0;
  } finally {
    rmSync(run.folder, { recursive: true, force: true, maxRetries: 10 });
  }
});

/** Shows on a terminal which step is under way, until the next line overwrites it. */
function show(name: string): void {
  process.stdout.write(`… ${name}\r`);
}

/** Ends the processes that a run left behind. Its last step has already reported them. */
async function endLeftovers(folder: string): Promise<void> {
  for (const { pid } of await leftProcesses(folder, 0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault; // it has just ended by itself
    }
  }
}
