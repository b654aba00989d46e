import { execFile } from 'node:child_process';

interface CommandOptions {
  /** The program is killed after this time. */
  seconds: number;
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** The user that the program runs as; only root may set it. */
  user?: { uid: number; gid: number };
}

/** How a command ended: its output, and in one line why it failed when it did. */
export interface CommandResult {
  ok: boolean;
  output: string;
  problem: string;
}

/** Runs a program to its end within a time limit. Never throws: when the program is missing or fails, the result says so. */
export function command(file: string, args: readonly string[], { seconds, user, ...options }: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const limits = { timeout: seconds * 1000, killSignal: 'SIGKILL', maxBuffer: 4 * 1024 * 1024 } as const;
    execFile(file, args, { ...options, ...user, ...limits }, (error, stdout, stderr) => {
      resolve({ ok: !error, output: stdout, problem: error ? problemOf(file, error, stderr || stdout, seconds) : '' });
    });
  });
}

function problemOf(file: string, error: Error & { code?: unknown; killed?: boolean }, said: string, seconds: number): string {
  if (error.code === 'ENOENT') return `${file} is not there`;
  if (error.killed) return `${file} took longer than ${seconds} s`;
  const lines = said.trim().split('\n').filter(Boolean);
  const cause = lines.find((line) => /^(E:|error|fatal)|: (error|fatal):/i.test(line)) ?? lines.at(-1);
  return cause?.trim().slice(0, 300) ?? `${file} failed (${String(error.code)})`;
}

export const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );
