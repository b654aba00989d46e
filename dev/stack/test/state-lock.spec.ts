import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const LOCK = new URL('../dist/state-lock.js', import.meta.url).href;

const CONTENDERS = 6;

/** Takes the lock when all contenders are there, prints whether it got the lock, and holds it until all others have tried too. */
const contender = (dir: string, path: string, nth: number) => `
  import { readdirSync, writeFileSync } from 'node:fs';
  import { takeLock } from '${LOCK}';
  const all = (did) => {
    writeFileSync('${dir}/' + did + '-${nth}', '');
    while (readdirSync('${dir}').filter((name) => name.startsWith(did)).length < ${CONTENDERS});
  };
  all('came');
  try {
    takeLock('${path}', 4000);
    console.log('mine');
  } catch (fault) {
    console.log(fault.name);
  }
  all('tried');
`;

describe('the state folder lock of a dead process', () => {
  it('is taken by exactly one of several concurrent processes', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'codase-lock-'));
    const path = join(dir, 'start.lock');
    writeFileSync(path, JSON.stringify({ pid: process.pid, born: 'long ago', since: 'long ago', port_base: 4000 }));

    const contend = (_: unknown, nth: number) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '--eval', contender(dir, path, nth)]);
    const outcomes = await Promise.all(Array.from({ length: CONTENDERS }, contend));

    expect(outcomes.map(({ stdout }) => stdout.trim()).sort()).toEqual(['Fault', 'Fault', 'Fault', 'Fault', 'Fault', 'mine']);
    rmSync(dir, { recursive: true });
  });
});
