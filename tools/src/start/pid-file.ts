import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { z } from 'zod';
import { failedWith } from '@cds/command-line';
import { bornAt, type ProcessId } from '@cds/stack/processes';

const Content = z.object({ pid: z.number().int().positive(), born: z.string() });

/** Notes a process we started, so that a later start can end it should we be killed. */
export function writePidFile(path: string, pid: number): void {
  try {
    writeFileSync(path, JSON.stringify({ pid, born: bornAt(pid) ?? '' }));
  } catch {
    rmSync(path, { force: true }); // a full disk is no reason to stop what runs; only that later start would miss the note
  }
}

/** The process that was noted; undefined when nothing of use is there. */
export function readPidFile(path: string): ProcessId | undefined {
  try {
    return Content.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data;
  } catch (error) {
    if (error instanceof SyntaxError || failedWith(error, 'ENOENT')) return undefined;
    throw error;
  }
}
