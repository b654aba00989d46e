import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** The side that sends the bytes. */
type Side = 'client' | 'target';

interface Faults {
  latencyMs: number;
  bytesPerSecond: number;
  cut?: { after: number; from: Side };
  /** Settled, unless `blackHole` is in effect: then it settles when the black hole ends. */
  passable: Promise<void>;
}

const HEALTHY: Faults = { latencyMs: 0, bytesPerSecond: Infinity, passable: Promise.resolve() };

/** A TCP proxy on 127.0.0.1 that misbehaves on request. Faults apply to live and to new connections, add up, and end with `heal`. */
export class FaultProxy {
  /** How many connections were accepted so far. */
  connections = 0;
  port = 0;
  private faults = HEALTHY;
  private endBlackHole = (): void => undefined;
  private readonly live = new Set<Connection>();
  private server?: Server;
  private isClosed = false;

  private constructor(private readonly target: { host: string; port: number }) {}

  static async open({ target }: { target: { host: string; port: number } }): Promise<FaultProxy> {
    const proxy = new FaultProxy(target);
    await proxy.listen();
    return proxy;
  }

  /** Delays every byte by this time, in each direction. */
  latency(latencyMs: number): void {
    this.faults = { ...this.faults, latencyMs };
  }

  /** Limits the bytes per second, in each direction and on each connection. */
  throttle(bytesPerSecond: number): void {
    this.faults = { ...this.faults, bytesPerSecond };
  }

  /** Accepts and holds connections without passing any byte on. Bytes that are sent meanwhile arrive after `heal`. */
  blackHole(): void {
    this.endBlackHole();
    this.faults = {
      ...this.faults,
      passable: new Promise((resolve) => {
        this.endBlackHole = resolve;
      }),
    };
  }

  /** Resets every connection as soon as exactly this many bytes of one side have passed. */
  cutAfter(bytes: number, from: Side = 'target'): void {
    this.faults = { ...this.faults, cut: { after: bytes, from } };
  }

  /** Resets the live connections. New connections still work. */
  reset(): void {
    for (const connection of this.live) connection.reset();
  }

  /** Refuses new connections, as a host without a listener does. Live connections stay. */
  refuse(): void {
    this.server?.close();
    this.server = undefined;
  }

  /** Ends all faults. */
  async heal(): Promise<void> {
    this.faults = HEALTHY;
    this.endBlackHole();
    if (!this.server) await this.listen();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.refuse();
    this.reset();
    this.endBlackHole();
  }

  /** Listens, on the same port each time. */
  private async listen(): Promise<void> {
    this.server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.accept(socket)).listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  private accept(client: Socket): void {
    if (this.isClosed) return void client.destroy(); // it was accepted just before the server closed
    this.connections += 1;
    const target = connect({ ...this.target, allowHalfOpen: true, noDelay: true });
    const connection = new Connection(client, target, () => this.faults);
    this.live.add(connection);
    client.once('close', () => this.live.delete(connection));
  }
}

/** A client, the target, and a line in each direction. When one side breaks, the other is reset too. */
class Connection {
  constructor(
    private readonly client: Socket,
    private readonly target: Socket,
    faults: () => Faults,
  ) {
    for (const socket of [client, target]) socket.on('error', () => this.reset());
    const reset = () => this.reset();
    void carry({ from: client, to: target, side: 'client', faults, reset });
    void carry({ from: target, to: client, side: 'target', faults, reset });
  }

  reset(): void {
    // The public resetAndDestroy first sends the remaining bytes and an orderly end. A broken line does neither.
    for (const socket of [this.client, this.target]) Object.assign(socket, { resetAndClosing: !socket.connecting }).destroy();
  }
}

interface Line {
  from: Socket;
  to: Socket;
  side: Side;
  faults: () => Faults;
  reset: () => void;
}

/** The pause before a reset: bytes and a reset that arrive together look like an orderly end to a reader, so the bytes are sent earlier. */
const SETTLE_MS = 20;

/** Carries the bytes of one direction in order: each piece leaves when it is due, as fast as the current faults allow. */
async function carry({ from, to, side, faults, reset }: Line): Promise<void> {
  let sent = 0;
  for await (const { bytes, due } of arrivals(from, faults)) {
    for (let rest = bytes; rest.length > 0;) {
      await pause(due - performance.now());
      await faults().passable;
      const { cut, bytesPerSecond } = faults();
      const untilCut = cut?.from === side ? Math.max(0, cut.after - sent) : Infinity;
      const piece = rest.subarray(0, Math.min(untilCut, Math.max(1, bytesPerSecond / 50)));
      await new Promise((written) => {
        to.write(piece, written);
      });
      if (piece.length === untilCut) {
        await sleep(SETTLE_MS);
        // A reader in this process reads between two turns of the event loop, even if the machine was too busy for it until now.
        await nextTurn();
        await nextTurn();
        return reset();
      }
      await pause((piece.length / bytesPerSecond) * 1000);
      sent += piece.length;
      rest = rest.subarray(piece.length);
    }
  }
  to.end();
}

/** Skips the timer for a pause of 0: a timer takes a millisecond at least, and a healthy line must not be delayed. */
async function pause(ms: number): Promise<void> {
  if (ms > 0) await sleep(ms);
}

interface Arrival {
  bytes: Buffer;
  due: number;
}

/** How many bytes may be in transit before the proxy stops reading. */
const UNDER_WAY_BYTES = 1024 * 1024;

/**
 * Yields the bytes of one side with the time when each piece is due. The time is set on arrival, so latency delays every byte and does not
 * reduce the throughput.
 */
async function* arrivals(from: Socket, faults: () => Faults): AsyncGenerator<Arrival> {
  const queue: Arrival[] = [];
  let underWay = 0;
  let ended = false;
  let wake = (): void => undefined;
  from.on('data', (bytes: Buffer) => {
    queue.push({ bytes, due: performance.now() + faults().latencyMs });
    underWay += bytes.length;
    if (underWay > UNDER_WAY_BYTES) from.pause();
    wake();
  });
  for (const end of ['end', 'close'])
    from.once(end, () => {
      ended = true;
      wake();
    });
  for (;;) {
    const next = queue.shift();
    if (next) {
      yield next;
      underWay -= next.bytes.length;
      if (underWay <= UNDER_WAY_BYTES) from.resume();
    } else if (ended) {
      return;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}
