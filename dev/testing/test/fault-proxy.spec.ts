import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { FaultProxy } from '../src/fault-proxy.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';

undoAfterEach();

/** A server that sends back what it gets, seen through a proxy. */
const echoBehindProxy = (): Promise<FaultProxy> => behindProxy((socket) => socket.pipe(socket));

async function behindProxy(serve: (socket: Socket) => unknown): Promise<FaultProxy> {
  const server = createServer((socket) => {
    serve(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } });
  afterwards(() => server.close());
  afterwards(() => proxy.close());
  return proxy;
}

/** A client that keeps what it receives. */
class Caller {
  heard = Buffer.alloc(0);
  readonly ended: Promise<string>;

  constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => {
      this.heard = Buffer.concat([this.heard, bytes]);
    });
    this.ended = new Promise((resolve) => {
      socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
      socket.once('close', () => resolve('closed'));
    });
  }

  static async call(proxy: FaultProxy): Promise<Caller> {
    const socket = connect(proxy.port, '127.0.0.1');
    const caller = new Caller(socket);
    afterwards(() => socket.destroy());
    await once(socket, 'connect');
    return caller;
  }

  /** Sends something and waits until `count` bytes came back in all. Returns how long that took. */
  async hears(count: number, say: string | Buffer = ''): Promise<number> {
    const began = performance.now();
    if (say.length > 0) this.socket.write(say);
    while (this.heard.length < count) await once(this.socket, 'data');
    return performance.now() - began;
  }
}

const tick = (ms: number) =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

describe('the fault proxy', () => {
  it('forwards all bytes unchanged when no fault is set', async () => {
    const proxy = await echoBehindProxy();
    const caller = await Caller.call(proxy);
    const talk = Buffer.alloc(5_000_000, 'talk');

    await caller.hears(talk.length, talk);
    caller.socket.end();

    expect(await caller.ended).toBe('closed');
    expect(caller.heard.equals(talk)).toBe(true);
    expect(proxy.connections).toBe(1);
  });

  it('delays every byte by the latency, without reducing the throughput', async () => {
    const proxy = await echoBehindProxy();
    const caller = await Caller.call(proxy);
    const plain = await caller.hears(3_000_000, Buffer.alloc(3_000_000));
    proxy.latency(60);

    const took = await caller.hears(6_000_000, Buffer.alloc(3_000_000));

    expect(took).toBeGreaterThanOrEqual(118);
    expect(took).toBeLessThan(5_000 + plain); // one chunk after the other would be 46 chunks of 120 ms
  });

  it('limits the bytes per second when it throttles', async () => {
    const proxy = await echoBehindProxy();
    const caller = await Caller.call(proxy);
    proxy.throttle(20_000);

    expect(await caller.hears(6_000, Buffer.alloc(6_000))).toBeGreaterThanOrEqual(270);
  });

  it('holds back all bytes in a black hole, and delivers them when it is healed', async () => {
    const proxy = await echoBehindProxy();
    const early = await Caller.call(proxy);
    await early.hears(2, 'hi');

    proxy.blackHole();
    const late = await Caller.call(proxy);
    early.socket.write(' there');
    late.socket.write('hello');
    await tick(80);
    expect([early.heard.toString(), late.heard.toString()]).toEqual(['hi', '']);

    await proxy.heal();
    await Promise.all([early.hears(8), late.hears(5)]);
    expect([early.heard.toString(), late.heard.toString()]).toEqual(['hi there', 'hello']);
  });

  it('resets existing connections, and accepts new ones', async () => {
    const proxy = await echoBehindProxy();
    const caller = await Caller.call(proxy);
    await caller.hears(2, 'hi');

    proxy.reset();

    expect(await caller.ended).toBe('ECONNRESET');
    await (await Caller.call(proxy)).hears(2, 'hi');
    expect(proxy.connections).toBe(2);
  });

  it('refuses new connections while existing ones continue, until it is healed on the same port', async () => {
    const proxy = await echoBehindProxy();
    const { port } = proxy;
    const caller = await Caller.call(proxy);
    await caller.hears(2, 'hi');

    proxy.refuse();
    await expect(Caller.call(proxy)).rejects.toThrow('ECONNREFUSED');
    await caller.hears(4, 'ho');

    await proxy.heal();
    await (await Caller.call(proxy)).hears(2, 'hi');
    expect(proxy.port).toBe(port);
  });

  it('resets the connection after exactly the given number of bytes from the target', async () => {
    const proxy = await echoBehindProxy();
    proxy.cutAfter(3);
    const caller = await Caller.call(proxy);
    caller.socket.write('abcdef');

    expect(await caller.ended).toBe('ECONNRESET');
    expect(caller.heard.toString()).toBe('abc');
  });

  it('resets the connection after exactly the given number of bytes from the client', async () => {
    let heard = '';
    // The server sends nothing back: bytes that reach the client together with the reset would look like an orderly end.
    const proxy = await behindProxy((socket) => socket.on('data', (bytes: Buffer) => (heard += bytes.toString())));
    proxy.cutAfter(2, 'client');
    const caller = await Caller.call(proxy);
    caller.socket.write('abcdef');

    expect(await caller.ended).toBe('ECONNRESET');
    expect(heard).toBe('ab');
  });

  it('resets the connection when the target is not reachable', async () => {
    const proxy = await FaultProxy.open({ target: { host: '127.0.0.1', port: 1 } });
    afterwards(() => proxy.close());

    expect(await (await Caller.call(proxy)).ended).toBe('ECONNRESET');
  });
});
