import type { NatsConnection } from '@nats-io/transport-node';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '../resilience/repeat.ts';
import { count, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { connectFault, isLoginRefused, notConnected, type BusAddress, type Refusals } from './connect.ts';

/** How long a connection is gone before the watch looks for the reason, and the pause before it looks again. */
const EXPLAIN_AFTER_MS = 1000;
const EXPLAIN_MS = 10_000;

/** The socket of a connection, which is no public member of the library. If a later release has none, the library closes it by itself. */
interface WithSocket {
  protocol?: { transport?: { socket?: Socket } };
}

/** Knows whether the connection stands and, when it does not, why. The connection comes back by itself. */
export class ConnectionWatch {
  private fault: string | null = null;
  /** The id of the connection that was lost last. A new connection carries requests before its status reports the reconnect. */
  private lostId: string | undefined;
  private stopExplaining = (): void => undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly address: BusAddress,
    private readonly refusals: Refusals,
    private readonly log: Log,
  ) {
    void this.watch();
  }

  /** Why no request can be sent now, in a sentence that says what to mend; null while the connection stands. */
  get problem(): string | null {
    return this.connection.isClosed() ? 'the connection is closed' : this.fault;
  }

  /** The id of the connection, which changes with each reconnect. */
  get connectionId(): string {
    const { server_id, client_id } = this.connection.info ?? {};
    return `${server_id} ${client_id}`;
  }

  /** Whether the connection with this id still stands. */
  stands(connectionId: string): boolean {
    return this.connectionId === connectionId && this.lostId !== connectionId;
  }

  stop(): void {
    this.stopExplaining();
  }

  /** Follows the status of the connection. The library reports each attempt to reconnect as a loss; here it is logged once. */
  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'staleConnection') this.hangUp();
      if (status.type === 'disconnect') this.lostId = this.connectionId;
      if (status.type === 'disconnect' && this.fault === null) this.lost();
      else if (status.type === 'reconnect' && this.fault !== null) this.back();
      else if (status.type === 'error' && isLoginRefused(status.error)) this.refused(status.error);
      else if (status.type === 'error') this.log.warn('bus reported an error', { error: status.error });
    }
  }

  /** Closes the socket to a server that answers no ping: the library would wait for unsent bytes, up to a quarter of an hour. */
  private hangUp(): void {
    (this.connection as unknown as WithSocket).protocol?.transport?.socket?.destroy();
  }

  private lost(): void {
    this.fault = 'not connected';
    this.log.warn('bus connection lost');
    const asking = repeat(() => this.explain(), {
      name: 'bus_fault',
      pauseMs: EXPLAIN_MS,
      onFailure: (error) => this.log.error('the reason why the bus is not connected is not known', { error }),
    });
    this.stopExplaining = () => void asking.stop();
  }

  private back(): void {
    this.stopExplaining();
    this.fault = null;
    this.lostId = undefined;
    this.refusals.count = 0;
    count(RUNTIME_METRICS.busReconnected);
    this.log.info('bus connection back');
  }

  private refused(error: unknown): void {
    this.refusals.count += 1;
    this.say(notConnected(this.address, error));
  }

  /** Finds out why the connection is lost. It waits a moment first, because most losses are over by then. */
  private async explain(): Promise<void> {
    await pause(EXPLAIN_AFTER_MS, undefined, { ref: false });
    if (this.fault === null || this.refusals.count > 0) return;
    const fault = await connectFault(this.address);
    if (fault && this.fault !== null) this.say(fault);
  }

  private say(fault: Error): void {
    if (this.fault === fault.message) return;
    this.fault = fault.message;
    this.log.error('bus cannot be reached: tried again until it can', { error: fault });
  }
}
