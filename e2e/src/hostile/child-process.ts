import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export async function startChild(program: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess; first: unknown }> {
  const path = fileURLToPath(new URL(`../../dist/hostile/${program}.main.js`, import.meta.url));
  const child = fork(path, { env: { PATH: process.env['PATH'], ...env }, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${program} did not start`)));
  const [first] = (await Promise.race([once(child, 'message'), exited])) as unknown[];
  exited.catch(() => undefined); // its later end is not a failure
  return { child, first };
}

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
