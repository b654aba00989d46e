import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const SHARED_MEMORY = '/dev/shm';
/** The free space that is required: several times what a run has ever stored there at once. */
const FREE_BYTES = 4 * 1024 ** 3;

/**
 * Creates a folder for one run. It lies in memory when there is enough space: a third of the system's own work for a run is making and
 * removing files of databases that live for seconds. When TMPDIR is set, the folder lies there.
 */
export function makeRunFolder({ chosen = process.env.TMPDIR, memory = SHARED_MEMORY, freeBytes = FREE_BYTES } = {}): string {
  const folder = (chosen ? undefined : folderInMemory(memory, freeBytes)) ?? mkdtempSync(join(chosen || tmpdir(), 'codase-test-'));
  chmodSync(folder, 0o755); // under root, Postgres runs as another user
  return folder;
}

function folderInMemory(memory: string, freeBytes: number): string | undefined {
  if (freeBytesOf(memory) < freeBytes) return undefined;
  const folder = mkdtempSync(join(memory, 'codase-test-'));
  if (canRunPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

/** The free bytes of the folder; 0 when there is no such folder. */
function freeBytesOf(memory: string): number {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem());
  } catch {
    return 0;
  }
}

/** Whether programs in the folder can be run, as tests do. Containers often mount shared memory so that none can. */
function canRunPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program, { timeout: 60_000 });
  rmSync(program);
  return status === 0;
}
