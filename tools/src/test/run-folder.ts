import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system in memory, on Linux. */
const SHARED_MEMORY = '/dev/shm';
/** Several times what a run has ever held there at once. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * A new folder for one run. In memory where there is room: a third of what the system itself does for a run is making and removing files of
 * databases that live for seconds. Who sets TMPDIR has chosen already.
 */
export function makeRunFolder({ chosen = process.env.TMPDIR, memory = SHARED_MEMORY, roomBytes = ROOM_BYTES } = {}): string {
  const folder = (chosen ? undefined : folderInMemory(memory, roomBytes)) ?? mkdtempSync(join(chosen || tmpdir(), 'cds-test-'));
  chmodSync(folder, 0o755); // Postgres runs as another user when we are root
  return folder;
}

function folderInMemory(memory: string, roomBytes: number): string | undefined {
  if (freeBytesOf(memory) < roomBytes) return undefined;
  const folder = mkdtempSync(join(memory, 'cds-test-'));
  if (canRunPrograms(folder)) return folder;
  rmSync(folder, { recursive: true });
  return undefined;
}

/** None where there is no such folder. */
function freeBytesOf(memory: string): number {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem());
  } catch {
    return 0;
  }
}

/** Containers often mount it so that nothing in it can be run; tests install programs and run them. */
function canRunPrograms(folder: string): boolean {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program, { timeout: 60_000 });
  rmSync(program);
  return status === 0;
}
