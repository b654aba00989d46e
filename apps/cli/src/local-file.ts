import { writeFileSync } from 'node:fs';
import { Fault } from '@codase/command-line';

/** Writes a file that only its owner can read. Fails when the file exists already. */
export const writeFile = (path: string, bytes: Uint8Array): void =>
  atDisk(path, () => writeFileSync(path, bytes, { flag: 'wx', mode: 0o600 }));

/** Works with a file of this machine. Says in a sentence why that fails. */
export function atDisk<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new Fault(code === 'EEXIST' ? `${path} is there already: give another file with --to.` : `${path}: ${code}.`);
  }
}
