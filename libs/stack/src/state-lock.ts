import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { failedWith, Fault } from '@cds/command-line';
import { ONE_OF_EACH } from './layout.ts';
import { bornAt, isAlive } from './processes.ts';

const Holder = z.object({
  pid: z.number().int().positive(),
  born: z.string(),
  since: z.string(),
  port_base: z.number().int(),
  scale: z.object({ replicas: z.number().int(), nats: z.number().int() }).default(ONE_OF_EACH),
});
/** The process that runs from a state folder: since when, on which ports, and at which scale. */
export type Holder = z.infer<typeof Holder>;

/** The right to use a state folder, held by one process at a time. */
export interface Lock {
  release(): void;
}

/** Returns the folder of databases, logs and secrets: CDS_STATE_DIR, or .cds in the repository. */
export const stateDirOf = (env: Readonly<Record<string, string | undefined>>, root: string): string =>
  resolve(root, env['CDS_STATE_DIR']?.trim() || '.cds');

/** Returns the path of a state folder's lock. */
export const lockOf = (stateDir: string): string => join(stateDir, 'start.lock');

/** Takes the lock, or throws a Fault that names its holder. A lock that a dead process left is taken over silently. */
export function takeLock(path: string, portBase: number, scale = ONE_OF_EACH): Lock {
  const since = new Date().toISOString();
  const me: Holder = { pid: process.pid, born: bornAt(process.pid) ?? '', since, port_base: portBase, scale };
  for (let attempt = 0; attempt < 100; attempt++) {
    if (createWhole(path, JSON.stringify(me))) return { release: () => release(path, me) };
    const holder = holderOf(path);
    if (holder) throw new Fault(alreadyRunning(holder, path));
    removeStale(path, portBase);
  }
  throw new Fault(`The lock ${path} changes hands without end: look for starts in a loop, then try again.`);
}

/** Returns the process that holds the lock, or undefined when none does or it is dead. */
export function holderOf(path: string): Holder | undefined {
  const holder = readHolder(path);
  return holder && isAlive(holder) ? holder : undefined;
}

/**
 * Removes a stale lock. Only the holder of a second lock (`.takeover`) may do so, otherwise two processes that find it stale could remove
 * each other's new lock. A lock that is absent is left alone: another process may take it at this moment, and its new lock would be
 * removed.
 */
function removeStale(path: string, portBase: number): void {
  const right = takeLock(`${path}.takeover`, portBase);
  try {
    if (isStale(path)) rmSync(path, { force: true });
  } finally {
    right.release();
  }
}

/** Whether the lock file exists and no living process holds it. The file is read only once. */
function isStale(path: string): boolean {
  const text = readText(path);
  if (text === undefined) return false;
  const holder = parseHolder(text);
  return !holder || !isAlive(holder);
}

/** Creates the file with its whole content or not at all. Returns false when the file exists already. */
function createWhole(path: string, content: string): boolean {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, content, { mode: 0o644 });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (failedWith(error, 'EEXIST')) return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(path: string): Holder | undefined {
  const text = readText(path);
  return text === undefined ? undefined : parseHolder(text);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    return Holder.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function release(path: string, me: Holder): void {
  if (readHolder(path)?.pid === me.pid) rmSync(path, { force: true });
}

const alreadyRunning = (holder: Holder, path: string): string =>
  `npm start already runs here: process ${holder.pid}, since ${holder.since}, on ports from ${holder.port_base} (lock ${path}). ` +
  `Stop it with Ctrl-C in its terminal or with: kill ${holder.pid}. ` +
  'To run another beside it, give that one its own folder and ports: CDS_STATE_DIR=.cds-second npm start -- --port-base 5000';
