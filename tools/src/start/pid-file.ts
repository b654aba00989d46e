import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { failedWith } from '@codase/command-line';
import { bornAt, type ProcessId } from '@codase/stack/processes';

const Content = z.object({ pid: z.number().int().positive(), born: z.string() });

/** Records a process of this start, so that a later start can end it if this one is killed. */
export function writePidFile(path: string, pid: number): void {
  try {
    writeFileSync(path, JSON.stringify({ pid, born: bornAt(pid) ?? '' }));
  } catch {
    rmSync(path, { force: true }); // a full disk must not stop what runs; only a later start would lack the record
  }
}

export function readPidFile(path: string): ProcessId | undefined {
  try {
    return Content.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
