import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLock } from './state-lock.ts';
import { bornAt } from './processes.ts';

describe('the lock of a state folder', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'codase-lock-'));
    path = join(dir, 'start.lock');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const left = (content: unknown) => writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));

  it('belongs to one process; a second one is refused with the process id and ports of the first', () => {
    const lock = takeLock(path, 4000);

    const { pid } = process;
    expect(() => takeLock(path, 5000)).toThrow(new RegExp(`already runs here: process ${pid}, since .*, on ports from 4000 .*kill ${pid}`));
    lock.release();

    takeLock(path, 5000).release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('is taken over from a process that has ended', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const born = bornAt(child.pid!)!;
    await once(child, 'exit');
    left({ pid: child.pid, born, since: 'yesterday', port_base: 4000 });

    takeLock(path, 4000).release();
    expect(existsSync(path)).toBe(false);
  });

  it('is taken over when its process id now belongs to another program', () => {
    left({ pid: process.pid, born: 'in another time', since: 'yesterday', port_base: 4000 });

    const lock = takeLock(path, 4000);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, born: bornAt(process.pid) });
    lock.release();
  });

  it('is taken over when its file is damaged', () => {
    left('{"pid": 1');
    takeLock(path, 4000).release();
    expect(existsSync(path)).toBe(false);
  });

  it('is not released by a process that lost it to another', () => {
    const lock = takeLock(path, 4000);
    const other = { pid: 1, born: bornAt(1), since: 'now', port_base: 4000 };
    left(other);

    lock.release();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(other);
  });
});
