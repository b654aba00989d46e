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
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    release();
  };
  return { path, remove };
}
