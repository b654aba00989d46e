import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guard } from './guard.ts';

/** A folder for its owner alone. */
export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/** A new folder that is gone after use, and with this process should that die before. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `cds-${name}-`));
  const release = guard({ folder: path });
  const remove = () => {
    if (isRemoved(path)) release();
  };
  return { path, remove };
}

/** Where somebody still writes, as what a browser leaves behind does for a moment, it is left to the guard. */
function isRemoved(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    return false;
  }
}
