import { bringUp, type StartContext } from './bring-up.ts';
import { Interruption } from './interruption.ts';
import { stopLeftovers } from './leftovers.ts';
import { takeLock } from '@codase/stack/state-lock';
import type { Options } from './options.ts';
import { overview } from './overview.ts';
import { checkPorts, preflight, type WantedPort } from './preflight.ts';
import { Progress, type Screen } from './progress.ts';
import type { Stack } from './stack.ts';
import { emptyStateFolder, openStateFolder, type StateFolder } from './state-folder.ts';
import type { Supervisor } from './supervisor.ts';
import { Teardown, type Stoppable } from './teardown.ts';
import { runDemoCheck } from './demo-check.ts';

/** What a start depends on; a test may pass its own. */
export interface Surroundings {
  root: string;
  screen: Screen;
  wantedPorts(options: Options): Promise<readonly WantedPort[]>;
  /** Describes the stack. Called when the state folder is locked for this start. */
  describe(options: Options): Promise<Stack>;
  removeElsewhere(options: Options): Promise<string[]>;
  /** Work beside the stack that is up. The returned part is stopped before the stack. */
  besideStack?(supervisor: Supervisor, say: (line: string) => void): Stoppable & { name: string };
}

/** Runs the whole stack until it is interrupted. Throws a Fault when it cannot run; then everything that was started is stopped. */
export async function start(options: Options, surroundings: Surroundings): Promise<void> {
  const progress = new Progress(surroundings.screen);
  const folder = openStateFolder(options.stateDir);
  const lock = takeLock(folder.lock, options.portBase, options.scale);
  const teardown = new Teardown();
  const interruption = new Interruption(() => {
    teardown.kill();
    lock.release();
    process.exit(130);
  });
  void interruption.requested.then(() => progress.say('stopping … (Ctrl-C again does not wait)'));
  try {
    await endLeftovers(folder, progress);
    const ports = await surroundings.wantedPorts(options);
    if (options.fresh) {
      await checkPorts(ports); // before anything is removed, in case a stack runs from this folder all the same
      await removeState(options, folder, surroundings, progress);
    }
    await preflight(folder.dir, ports);
    const stack = await surroundings.describe(options);
    await runStack(options, stack, { root: surroundings.root, folder, progress, teardown, interruption }, surroundings);
  } finally {
    await teardown.run((line) => progress.say(line));
    interruption.close();
    lock.release();
  }
}

async function endLeftovers(folder: StateFolder, progress: Progress): Promise<void> {
  const leftovers = await stopLeftovers(folder.pids);
  if (leftovers.length) progress.say(`stopped what an earlier start left running: ${leftovers.join(', ')}`);
}

async function removeState(options: Options, folder: StateFolder, surroundings: Surroundings, progress: Progress): Promise<void> {
  const elsewhere = await surroundings.removeElsewhere(options);
  const removed = emptyStateFolder(folder);
  const removals = [`${removed.join(', ') || 'nothing'} from ${folder.dir}`, ...elsewhere];
  progress.say(`fresh start: removed ${removals.join(' and ')}`);
}

async function runStack(options: Options, stack: Stack, context: StartContext, { besideStack }: Surroundings): Promise<void> {
  const { progress, interruption, teardown } = context;
  const running = await bringUp(stack, context);
  progress.say(overview(stack, running, context.folder, process.uptime()));
  if (options.check) {
    for (const check of stack.demoChecks) await runDemoCheck(check, context);
    progress.say('stopping …');
  } else {
    const beside = besideStack?.(running.supervisor, (line) => progress.say(line));
    if (beside) teardown.add(beside.name, beside);
    progress.say('\nCtrl-C stops everything.');
    await interruption.requested;
  }
}
