import { spawn, type ChildProcess } from 'node:child_process';

export interface Guarded {
  /** A process to end, asked by these signals in turn; each gets its ten seconds. */
  pid?: number;
  signals?: readonly NodeJS.Signals[];
  /** A program to run in place of that. */
  command?: readonly string[];
  /** A folder to delete after that. */
  folder?: string | undefined;
}

/** What is to be done should we die, by number, each a line of shell. */
const duties = new Map<number, string>();
let latest = 0;
let shell: ChildProcess | undefined;

/**
 * Clears up after us should we die without a word, by SIGKILL even. One small shell does so for all that this process guards: it waits on a
 * pipe from us, and does what is left to do when that ends. Answers what takes this duty from it.
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

/** A shell that is gone is replaced with the next duty, and told all of them. */
function startShell(): void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guard'], { detached: true, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
  const forget = () => {
    if (shell === child) shell = undefined;
  };
  child.unref();
  child.on('error', forget); // where there is no shell there is no guard, and all else works
  child.on('exit', forget);
  child.stdin.on('error', forget);
  (child.stdin as unknown as { unref(): void }).unref();
  shell = child;
  for (const id of duties.keys()) say(id);
}

/** A number with its duty, or alone when there is none any more. */
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
