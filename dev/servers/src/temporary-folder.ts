import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from './guard.ts';

/** A folder that only its owner can read. */
export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** Makes a new folder that is deleted by `remove`, or when this process dies before. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `codase-${name}-`));
  const release = guard({ folder: path });
  const remove = () => {
    if (isRemoved(path)) release();
  };
  return { path, remove };
}

/** Removes the folder; returns false while a process still writes into it. The guard removes it then. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    return false;
  }
}
