import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOCK = new URL('../dist/lock.js', import.meta.url).href;

/** Takes the lock at a given moment, says whether it got it, and holds it until all others have tried too. */
const contender = (path: string, moment: number) => `
  import { takeLock } from '${LOCK}';
  while (Date.now() < ${moment});
  try {
    takeLock('${path}', 4000);
    console.log('mine');
  } catch (fault) {
    console.log(fault.name);
  }
  setTimeout(() => {}, 1500);
`;

describe('the lock of a state folder that a dead process left', () => {
  it('goes to one of many that want it at the same moment', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'cds-lock-'));
    const path = join(dir, 'start.lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, born: 'long ago', since: 'long ago', port_base: 4000 }));

    const moment = Date.now() + 1500;
    const contend = () => promisify(execFile)(process.execPath, ['--input-type=module', '--eval', contender(path, moment)]);
    const outcomes = await Promise.all(Array.from({ length: 6 }, contend));

    expect(outcomes.map(({ stdout }) => stdout.trim()).sort()).toEqual(['Fault', 'Fault', 'Fault', 'Fault', 'Fault', 'mine']);
    rmSync(dir, { recursive: true });
  });
});
