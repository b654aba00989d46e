import { spawn, type ChildProcess } from 'node:child_process';

interface Guarded {
  /** A process to end by these signals, one after the other; it has ten seconds after each. */
  pid?: number;
  signals?: readonly NodeJS.Signals[];
  /** A program to run in place of ending a process. */
  command?: readonly string[];
  /** A folder to delete after that. */
  folder?: string | undefined;
}

/** What the guard has to do if this process dies, by number, each a line of shell. */
const duties = new Map<number, string>();
let latest = 0;
let shell: ChildProcess | undefined;

/**
 * Cleans up if this process dies without a chance to do so, even by SIGKILL. One small shell does this for everything that the process
 * guards: it waits on a pipe from the process, and does what is left to do when the pipe ends. Returns a function that takes this duty
 * back.
 */
export function guard(guarded: Guarded): () => void {
  const id = (latest += 1);
  duties.set(id, dutyOf(guarded));
  if (shell) say(id);
  else startShell();
  return () => {
    if (duties.delete(id)) say(id);
  };
}

/** Starts the shell and sends it all duties. If the shell is gone, the next duty starts another one. */
function startShell(): void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guard'], { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  const forget = () => {
    if (shell === child) shell = undefined;
  };
  child.unref();
  child.on('error', forget); // on a machine without a shell there is no guard, and all else works
  child.on('exit', forget);
  child.stdin.on('error', forget);
  (child.stdin as unknown as { unref(): void }).unref();
  shell = child;
  for (const id of duties.keys()) say(id);
}

/** Sends the shell a number with its duty, or the number alone when its duty was taken back. */
function say(id: number): void {
  shell?.stdin?.write(`${id} ${duties.get(id) ?? ''}\n`);
}

function dutyOf({ pid = 0, signals = [], command = [], folder = '' }: Guarded): string {
  const ending = pid ? `end ${pid} ${signals.map((signal) => signal.replace('SIG', '')).join(' ')}` : command.map(quoted).join(' ') || ':';
  return folder ? `${ending}; remove ${quoted(folder)}` : ending;
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const SCRIPT = `
end() {
  pid=$1
  shift
  for signal in "$@"; do
    kill -s "$signal" "$pid" || break
    tenths=0
    while kill -0 "$pid" && [ $tenths -lt 100 ]; do sleep 0.1; tenths=$((tenths + 1)); done
  done
}
remove() { rm -rf "$1" || { sleep 3; rm -rf "$1"; }; }
duties=
while read -r id duty; do
  others=
  while read -r other its; do
    [ -z "$other" ] || [ "$other" = "$id" ] || others="$others$other $its
"
  done <<END
$duties
END
  duties=$others
  [ -z "$duty" ] || duties="$duties$id $duty
"
done
while read -r id duty; do
  [ -z "$duty" ] || eval "$duty" </dev/null &
done <<END
$duties
END
wait
`;
