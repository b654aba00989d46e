import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { StartContext } from './bring-up.ts';
import { Fault } from '@codase/command-line';
import type { DemoCheck } from './stack.ts';

const TIME = 120_000;

/** Runs a command as a person at another terminal would, and shows what it printed. Throws a Fault when it does not work. */
export async function runDemoCheck(
  check: DemoCheck,
  { root, progress, interruption }: Pick<StartContext, 'root' | 'progress' | 'interruption'>,
): Promise<void> {
  const { name, shows } = check;
  const shown = shows && progress.hears((text) => text.startsWith(`${shows.by}: `) && text.includes(shows.part));
  const printed = await interruption.orElse(progress.step(name, () => printedBy(check, root, interruption.requested)));
  progress.say(printed.trim().replaceAll(/^/gm, '  '));
  if (!shown) return;
  const isShown = await interruption.orElse(Promise.race([shown.then(() => true), sleep(shows.withinMs, false, { ref: false })]));
  const late = `${shows.by} did not tell of it within ${shows.withinMs / 1000} s. Its log says more.`;
  if (!isShown) throw new Fault(`${name} (${check.command}): ${late}`);
}

async function printedBy({ name, command }: DemoCheck, root: string, stopped: Promise<void>): Promise<string> {
  const run = promisify(execFile)('sh', ['-c', command], { cwd: root, timeout: TIME, maxBuffer: 4 * 1024 * 1024 });
  void stopped.then(() => run.child.kill());
  try {
    return (await run).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    const how = killed ? `did not end within ${TIME / 1000} s` : 'failed';
    throw new Fault(`${name} (${command}) ${how}:\n${`${stdout}${stderr}`.trim()}`, { cause: error });
  }
}
