import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@codase/command-line';
import { temporaryFolder } from '@codase/servers/temporary-folder';
import { runningStack, type RunningStack } from '@codase/stack';
import { ROOT } from '../command/root.ts';
import { wantedPorts } from '../start/default-stack.ts';
import { readOptions } from '../start/options.ts';
import { preflight } from '../start/preflight.ts';

/** A stack takes half a minute to come up, and ten times as long on a busy machine. */
const UP_MS = 600_000;
const UP = 'Ctrl-C stops everything';

interface Beside {
  name: string;
  signal: AbortSignal;
  say(line: string): void;
}

/** Starts a stack with `npm start`, in a temporary folder and on ports of its own, runs the work beside it, and stops the stack. */
export async function besideStack<T>({ name, signal, say }: Beside, work: (stack: RunningStack, folder: string) => Promise<T>): Promise<T> {
  const folder = temporaryFolder(name);
  chmodSync(folder.path, 0o711); // users other than root must be able to enter: Postgres, and the user of images
  try {
    say('npm start …');
    return await besideStackIn(folder.path, signal, (stack) => work(stack, folder.path));
  } finally {
    folder.remove();
  }
}

async function besideStackIn<T>(folder: string, signal: AbortSignal, work: (stack: RunningStack) => Promise<T>): Promise<T> {
  const [stateDir, base] = [join(folder, 'state'), await freePortBase()];
  const env = { ...process.env, CODASE_STATE_DIR: stateDir, CODASE_PORT_BASE: String(base) };
  const child = spawn(process.execPath, ['tools/run.mjs', 'start'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  try {
    await untilUp(child, signal);
    return await work(runningStack({ stateDir }));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

async function untilUp(child: ChildProcess, signal: AbortSignal): Promise<void> {
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text: Buffer) => (said = (said + text).slice(-10_000)));
  for (const deadline = performance.now() + UP_MS; performance.now() < deadline; await sleep(200)) {
    signal.throwIfAborted();
    if (said.includes(UP)) return;
    if (child.exitCode !== null) break;
  }
  throw new Fault(`npm start does not bring a stack up:\n${said.trim()}`);
}

async function freePortBase(): Promise<number> {
  // Below the ephemeral ports, which the system gives to outgoing connections.
  for (let base = 27_000; base < 29_000; base += 100) {
    const options = readOptions(['--port-base', String(base)], {}, ROOT);
    const isFree = await preflight(tmpdir(), wantedPorts(options)).then(
      () => true,
      () => false,
    );
    if (isFree) return base;
  }
  throw new Fault('No hundred free ports between 27000 and 29000.');
}
