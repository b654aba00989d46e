import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

interface ChildOptions {
  cwd: string;
  env?: Record<string, string>;
  /** Whether the output is shown as it comes; otherwise it is collected. */
  live?: boolean;
  /** After this time the child process is ended. Each message that it sends starts the time again. */
  seconds: number;
  signal?: AbortSignal;
}

export interface Ended {
  code: number | undefined;
  output: string;
  timedOut: boolean;
}

const OUTPUT_CHARS = 1_000_000;
const GRACE_MS = 10_000;

/** Runs Node with the arguments in a process group of its own, so that ending it ends what it started too. */
export async function runNode(args: string[], { cwd, env, live, seconds, signal }: ChildOptions): Promise<Ended> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: live ? ['ignore', 'inherit', 'inherit', 'ipc'] : ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
  });
  let [output, timedOut] = ['', false];
  const collect = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARS);
  };
  child.stdout?.setEncoding('utf8').on('data', collect);
  child.stderr?.setEncoding('utf8').on('data', collect);

  const end = () => void endGroup(child);
  const timer = setTimeout(() => {
    timedOut = true;
    end();
  }, seconds * 1000);
  child.on('message', () => timer.refresh());
  signal?.addEventListener('abort', end, { once: true });
  if (signal?.aborted) end();
  try {
    const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    return { code: code ?? undefined, output, timedOut };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** Sends SIGTERM to the process group, waits until the child has ended or the grace time is over, and sends SIGKILL. */
async function endGroup(child: ChildProcess): Promise<void> {
  kill(child, 'SIGTERM');
  for (let waited = 0; waited < GRACE_MS && child.exitCode === null && child.signalCode === null; waited += 100) await sleep(100);
  kill(child, 'SIGKILL');
}

function kill({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ESRCH') throw fault; // ESRCH: the process has already ended
  }
}
