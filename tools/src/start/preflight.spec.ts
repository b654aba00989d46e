import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { preflight, thisMachine, type Machine } from './preflight.ts';

const MB = 1024 * 1024;

describe('the preflight checks', () => {
  it('pass on a suitable machine', async () => {
    await expect(preflight(tmpdir(), [])).resolves.toBeUndefined();
  });

  it('name a taken port, the unit that needs it and the process that uses it', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;

    const who = process.platform === 'linux' ? `process ${process.pid} \\(.*\\)` : 'another program'; // only /proc names the process
    await expect(preflight(tmpdir(), [{ port, for: 'gateway' }])).rejects.toThrow(
      new RegExp(`^Port ${port}, wanted by gateway, is taken by ${who}: stop that program, or choose other ports with --port-base.$`),
    );
    holder.close();
  });

  it('detect a program that listens on all addresses', async () => {
    const holder = createServer().listen(0, '0.0.0.0');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;

    await expect(preflight(tmpdir(), [{ port, for: 'gateway' }])).rejects.toThrow(`Port ${port}`);
    holder.close();
  });

  it('report every problem at once', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const poor: Machine = { node: '18.20.0', freeBytes: async () => 12 * MB };
    await expect(preflight('/state', [{ port, for: 'nats' }], poor)).rejects.toThrow(
      /^Node 18\.20\.0 is too old: .*\nThe disk of \/state has 12 MB left and 500 MB are needed: .*\nPort \d+, wanted by nats, is taken /,
    );
    holder.close();
  });

  it('read the free space of the disk', async () => {
    expect(await thisMachine.freeBytes(tmpdir())).toBeGreaterThan(0);
  });

  it.each([
    ['20.19.0', false],
    ['23.11.1', false],
    ['24.0.0', true],
    ['26.10.0', true],
  ])('check the Node version %s: accepted is %p', async (node, fits) => {
    const reported = preflight(tmpdir(), [], { node, freeBytes: async () => 900 * MB }).then(
      () => true,
      () => false,
    );
    expect(await reported).toBe(fits);
  });
});
