import { createServer, connect, type Server, type Socket } from 'node:net';
import { whyNotReady } from './readiness.ts';

/** A replica: the port for callers, and the port that reports whether it is ready. */
export interface Target {
  port: number;
  opsPort: number;
}

const PROBE_MS = 500;

/**
 * Distributes the connections to one port over several replicas in turns, as a Service of Kubernetes does. New connections go to replicas
 * that are ready. When none is ready, they go to any replica that accepts them.
 */
export class Balancer {
  private readonly ready = new Set<Target>();
  private readonly open = new Set<Socket>();
  private turn = 0;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly Target[],
  ) {}

  static async open(port: number, targets: readonly Target[]): Promise<Balancer> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const balancer = new Balancer(server, targets);
    server.on('connection', (caller) => balancer.serve(caller, balancer.inTurn()));
    await new Promise<void>((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
    void balancer.probe();
    return balancer;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    for (const socket of this.open) socket.destroy();
    await new Promise((resolve) => void this.server.close(resolve));
  }

  private async probe(): Promise<void> {
    await Promise.all(
      this.targets.map(async (target) => {
        if ((await whyNotReady(target.opsPort)) === undefined) this.ready.add(target);
        else this.ready.delete(target);
      }),
    );
    if (!this.isClosed) this.timer = setTimeout(() => void this.probe(), PROBE_MS).unref();
  }

  /** Returns the ready replicas, the next in turn first, and then the others. */
  private inTurn(): Target[] {
    this.turn += 1;
    const turned = this.targets.map((_, i) => this.targets[(i + this.turn) % this.targets.length]!);
    return [...turned.filter((target) => this.ready.has(target)), ...turned.filter((target) => !this.ready.has(target))];
  }

  /** Connects the caller with the first replica that accepts. A replica that refuses is skipped, and the caller does not notice. */
  private serve(caller: Socket, [target, ...others]: readonly Target[]): void {
    this.keep(caller);
    if (!target) return void caller.destroy();
    const replica = this.keep(connect({ port: target.port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true }));
    const passOver = () => this.serve(caller, others);
    replica.once('error', passOver);
    replica.once('connect', () => {
      replica.off('error', passOver);
      caller.pipe(replica).pipe(caller);
      for (const [one, other] of [[caller, replica] as const, [replica, caller] as const]) {
        one.on('error', () => other.destroy());
        one.once('close', () => other.destroy());
      }
    });
  }

  private keep(socket: Socket): Socket {
    if (this.open.has(socket)) return socket;
    this.open.add(socket);
    socket.on('error', () => socket.destroy());
    return socket.once('close', () => this.open.delete(socket));
  }
}
