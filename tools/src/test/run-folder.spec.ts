import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { inTempTree } from '@codase/testing/temp-tree';
import { makeRunFolder } from './run-folder.ts';

function parentOfRun(options: { chosen: string; memory: string; roomBytes: number }): string {
  const folder = makeRunFolder(options);
  rmSync(folder, { recursive: true });
  return dirname(folder);
}

describe('the folder of a run', () => {
  it('lies in memory where there is room', () =>
    inTempTree({}, (memory) => expect(parentOfRun({ chosen: '', memory, roomBytes: 1 })).toBe(memory)));

  it('lies among the temporary files where there is too little room, or no such memory', () =>
    inTempTree({}, (memory) => {
      expect(parentOfRun({ chosen: '', memory, roomBytes: Number.MAX_SAFE_INTEGER })).toBe(tmpdir());
      expect(parentOfRun({ chosen: '', memory: '/nowhere', roomBytes: 1 })).toBe(tmpdir());
    }));

  it('lies where TMPDIR says', () =>
    inTempTree({}, (memory) => inTempTree({}, (chosen) => expect(parentOfRun({ chosen, memory, roomBytes: 1 })).toBe(chosen))));
});
