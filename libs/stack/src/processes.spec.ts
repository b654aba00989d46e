import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { bornAt, processTreeOf, isAlive, memoryOf } from './processes.ts';

describe('what the system says of processes', () => {
  it('knows the living from the dead', async () => {
    const child = spawn('sleep', ['60']);
    const id = { pid: child.pid!, born: bornAt(child.pid!)! };
    expect(isAlive(id)).toBe(true);
    expect(isAlive({ ...id, born: 'before' })).toBe(false);

    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive(id)).toBe(false);
  });

  it('counts a process with its children once each, where there is a /proc to tell', async () => {
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
