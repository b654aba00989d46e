import { spawn } from 'node:child_process';

export interface Guarded {
  /** A process to end, asked by these signals in turn; each gets its ten seconds. */
  pid?: number;
  signals?: readonly NodeJS.Signals[];
  /** A program to run in place of that. */
  command?: readonly string[];
  /** A folder to delete after that. */
  folder?: string | undefined;
}

/**
 * Clears up after us should we die without a word, by SIGKILL even: one small shell that waits on a pipe from us.
 * A line on it lets the guard go; that the pipe ends without one means that we are gone.
 */
export function guard({ pid = 0, signals = [], command = [], folder = '' }: Guarded): () => void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guard', String(pid), folder, ...(pid ? signals : command)], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  child.on('error', () => undefined); // where there is no shell there is no guard, and all else works
  child.stdin.on('error', () => undefined); // a guard that is gone needs no release
  (child.stdin as unknown as { unref(): void }).unref();
  return () => child.stdin.end('done\n');
}

const SCRIPT = `
read -r line && exit 0
pid=$1 folder=$2
shift 2
if [ "$pid" = 0 ]; then
  [ $# = 0 ] || "$@"
  set --
fi
for signal in "$@"; do
  kill -s "\${signal#SIG}" "$pid" || break
  tenths=0
  while kill -0 "$pid" && [ $tenths -lt 100 ]; do sleep 0.1; tenths=$((tenths + 1)); done
done
[ -z "$folder" ] || rm -rf "$folder" || { sleep 3; rm -rf "$folder"; }
`;
