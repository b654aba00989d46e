import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bornAt, bornByPs, processTreeOf, isAlive, memoryOf } from './processes.ts';

describe('process information from the operating system', () => {
  it('distinguishes a living process from a dead one with the same process id', async () => {
    const child = spawn('sleep', ['60']);
    const id = { pid: child.pid!, born: bornAt(child.pid!)! };
    expect(isAlive(id)).toBe(true);
    expect(isAlive({ ...id, born: 'before' })).toBe(false);

    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(id)).toBe(false);
  });

  it('reports a killed process as dead only when its ports are free', async () => {
    const server = `const server = require('net').createServer().listen(0, '127.0.0.1', () => process.send(server.address().port))`;
    for (let nth = 0; nth < 10; nth++) {
      const child = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      const [port] = (await once(child, 'message')) as [number];
      const id = { pid: child.pid!, born: bornAt(child.pid!)! };
      child.kill('SIGKILL');
      while (isAlive(id)) await nextTurn(); // without a pause, to see the first moment at which it is dead

      const next = createServer().listen(port, '127.0.0.1');
      await expect(once(next, 'listening')).resolves.toEqual([]);
      next.close();
    }
  });

  it('gives the same start time of a process in every time zone', () => {
    const [here, ...elsewhere] = ['UTC', 'Asia/Tokyo', 'America/New_York'].map((TZ) => bornByPs(process.pid, { ...process.env, TZ }));
    expect(here).toMatch(/^\w{3} \w{3} +\d+ \d\d:\d\d:\d\d \d{4}$/);
    expect(elsewhere).toEqual([here, here]);
  });

  it('lists a process and its descendants once each, where /proc exists', async () => {
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const grandchild = Number(String((await once(parent.stdout, 'data'))[0]));

    const tree = processTreeOf(process.pid);
    const memory = memoryOf(tree);
    process.kill(grandchild);
    parent.kill();

    const expected = process.platform === 'linux' ? [process.pid, parent.pid, grandchild] : [process.pid];
    expect(tree).toEqual(expect.arrayContaining(expected));
    expect(new Set(tree).size).toBe(tree.length);
    expect(memory ?? Infinity).toBeGreaterThan(10 * 1024 * 1024);
  });
});
