import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockOf } from '@codase/stack/state-lock';
import { failedWith, Fault, messageOf } from '@codase/command-line';

/** The first line of the folder's .gitignore, which marks the folder as ours: --fresh never empties one named by mistake. */
const MARK = '# State of the Company Data Service (npm start): databases, streams, logs, generated secrets. Never commit it.';

export interface StateFolder {
  dir: string;
  lock: string;
  logs: string;
  pids: string;
}

/** Creates the folder, or recognises it. Refuses a folder that holds other things. */
export function openStateFolder(dir: string): StateFolder {
  try {
    mkdirSync(dir, { recursive: true });
    const entries = readdirSync(dir);
    if (entries.length > 0 && !isOurs(dir)) {
      throw new Fault(`The state folder ${dir} holds other things: point CODASE_STATE_DIR to a new or empty folder.`);
    }
    writeFileSync(join(dir, '.gitignore'), `${MARK}\n*\n`);
    const folder = { dir, lock: lockOf(dir), logs: join(dir, 'logs'), pids: join(dir, 'pids') };
    for (const sub of [folder.logs, folder.pids]) mkdirSync(sub, { recursive: true });
    return folder;
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault(`The state folder ${dir} cannot be used (${messageOf(error)}): ${mending(error)}`, { cause: error });
  }
}

/** Removes everything except the files that mark the folder as ours and as in use. Returns the removed names. */
export function emptyStateFolder(folder: StateFolder): string[] {
  const keep = ['.gitignore', 'start.lock'];
  const removed = readdirSync(folder.dir).filter((name) => !keep.includes(name));
  for (const name of removed) rmSync(join(folder.dir, name), { recursive: true, force: true });
  openStateFolder(folder.dir);
  return removed;
}

function isOurs(dir: string): boolean {
  try {
    return readFileSync(join(dir, '.gitignore'), 'utf8').startsWith(MARK);
  } catch (error) {
    if (failedWith(error, 'ENOENT', 'EISDIR')) return false;
    throw error;
  }
}

function mending(error: unknown): string {
  if (failedWith(error, 'ENOSPC', 'EDQUOT')) return 'free some space on that disk.';
  if (failedWith(error, 'ENOTDIR', 'EEXIST')) return 'a file is in its way; move it, or point CODASE_STATE_DIR elsewhere.';
  return 'make it writable for you, or point CODASE_STATE_DIR to a folder that is.';
}
