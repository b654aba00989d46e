import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessId {
  pid: number;
  born: string;
}

const PROC = existsSync('/proc/self/stat');

/**
 * Returns when a process was started, in the system's own format. Undefined when no process has this pid, or only a zombie. A killed
 * process is a zombie as soon as its main thread has ended. As long as it has other threads, its ports are taken, so it counts as a
 * process.
 */
export function bornAt(pid: number): string | undefined {
  if (!PROC) return bornByPs(pid);
  const [state, ...rest] = statOf(pid) ?? ['X'];
  const threads = Number(rest[16]);
  if (state === 'X' || (state === 'Z' && threads <= 1)) return undefined;
  return `${read('/proc/sys/kernel/random/boot_id')?.trim()} ${rest[18]}`;
}

/** Whether exactly this process is still running. */
export const isAlive = ({ pid, born }: ProcessId): boolean => bornAt(pid) === born;

/** Returns the pids of this process and of all its descendants. */
export function processTreeOf(pid: number): number[] {
  const tree = [pid];
  const others = numbered('/proc').map((other) => ({ pid: other, parent: Number(statOf(other)?.[1]) }));
  for (const member of tree) tree.push(...others.filter((other) => other.parent === member).map((other) => other.pid));
  return tree;
}

/**
 * Returns how many bytes of memory these processes hold together, or undefined when the system does not say. A shared page counts in
 * shares, because otherwise the shared memory of Postgres would count once per connection.
 */
export function memoryOf(pids: number[]): number | undefined {
  const sizes = pids.map((pid) => kilobytes('Pss', read(`/proc/${pid}/smaps_rollup`)) ?? kilobytes('VmRSS', read(`/proc/${pid}/status`)));
  return sizes.every((size) => size === undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) * 1024;
}

/** Returns the process that listens on a TCP port, when the system allows to see it. */
export function listenerOn(port: number): { pid: number; command: string } | undefined {
  const sockets = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningSockets(table, port));
  if (sockets.length === 0) return undefined;
  const holds = (pid: number) => numbered(`/proc/${pid}/fd`).some((fd) => sockets.includes(linkOf(`/proc/${pid}/fd/${fd}`)));
  const pid = numbered('/proc').find(holds);
  return pid === undefined ? undefined : { pid, command: commandOf(pid) };
}

/** Returns the sockets that listen on the port. Columns: slot, local address (hex), remote address, state (0A listens), … inode (9). */
function listeningSockets(table: string, port: number): string[] {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = (read(table) ?? '').split('\n').map((row) => row.trim().split(/\s+/));
  return rows.filter((row) => row[1]?.endsWith(local) && row[3] === '0A').map((row) => `socket:[${row[9]}]`);
}

/** Returns the fields after the command's name (state, parent, …). The name itself may contain blanks and brackets. */
function statOf(pid: number): string[] | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function commandOf(pid: number): string {
  const words = (read(`/proc/${pid}/cmdline`) ?? '').split('\0').join(' ').trim();
  const text = words || read(`/proc/${pid}/comm`)?.trim() || 'unknown';
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

/** As `bornAt`, where there is no /proc. Another terminal may have another language and time zone, in which ps would answer. */
export function bornByPs(pid: number, environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const env = { ...environment, LC_ALL: 'C', TZ: 'UTC' };
  try {
    const born = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, timeout: 5000, stdio: ['ignore', 'pipe', 'ignore'] });
    return born.toString().trim() || undefined;
  } catch {
    return undefined; // ps fails when there is no such process
  }
}

const kilobytes = (name: string, text: string | undefined): number | undefined => {
  const value = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text ?? '')?.[1];
  return value === undefined ? undefined : Number(value);
};

const numbered = (dir: string): number[] => (attempt(() => readdirSync(dir)) ?? []).filter((name) => /^\d+$/.test(name)).map(Number);
const read = (path: string): string | undefined => attempt(() => readFileSync(path, 'utf8'));
const linkOf = (path: string): string => attempt(() => readlinkSync(path)) ?? '';

/** Returns undefined for anything that cannot be read: processes start and end meanwhile, and those of other users may be hidden. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
