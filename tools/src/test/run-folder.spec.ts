import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { makeRunFolder } from './run-folder.ts';

function parentOfRun(options: { chosen: string; memory: string; freeBytes: number }): string {
  const folder = makeRunFolder(options);
  rmSync(folder, { recursive: true });
  return dirname(folder);
}

describe('the folder of a test run', () => {
  it('is in memory when there is enough space', () =>
    inTempTree({}, (memory) => expect(parentOfRun({ chosen: '', memory, freeBytes: 1 })).toBe(memory)));

  it('is in the temporary folder when memory lacks the space or cannot be used', () =>
    inTempTree({}, (memory) => {
      expect(parentOfRun({ chosen: '', memory, freeBytes: Number.MAX_SAFE_INTEGER })).toBe(tmpdir());
      expect(parentOfRun({ chosen: '', memory: '/nowhere', freeBytes: 1 })).toBe(tmpdir());
    }));

  it('is in TMPDIR when it is set', () =>
    inTempTree({}, (memory) => inTempTree({}, (chosen) => expect(parentOfRun({ chosen, memory, freeBytes: 1 })).toBe(chosen))));
});
