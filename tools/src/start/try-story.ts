import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Fault } from './fault.ts';

const TIME = 120_000;

/** Runs the command that the table recommends, as a person would, and gives what it printed. Ends it when we are to stop. */
export async function tryStory(command: string, root: string, stopped: Promise<void>): Promise<string> {
  const story = promisify(execFile)('sh', ['-c', command], { cwd: root, timeout: TIME, maxBuffer: 4 * 1024 * 1024 });
  void stopped.then(() => story.child.kill());
  try {
    return (await story).stdout;
  } catch (error) {
    const { stdout = '', stderr = '', killed } = error as { stdout?: string; stderr?: string; killed?: boolean };
    const how = killed ? `did not end within ${TIME / 1000} s` : 'failed';
    throw new Fault(`The story (${command}) ${how}:\n${`${stdout}${stderr}`.trim()}`, { cause: error });
  }
}
