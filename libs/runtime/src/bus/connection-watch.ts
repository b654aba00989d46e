import type { NatsConnection } from '@nats-io/transport-node';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '../resilience/repeat.ts';
import { count, type Log, RUNTIME_METRICS } from '../telemetry/index.ts';
import { connectFault, isLoginRefused, notConnected, type BusAddress, type Refusals } from './connect.ts';

/** How long a connection is down before each look for the reason, and the pause between two looks. */
const DIAGNOSE_DELAY_MS = 1000;
const DIAGNOSE_PAUSE_MS = 10_000;

/** The socket of a connection, a private member of the library. If a release has none, the library closes the connection, only later. */
interface WithSocket {
  protocol?: { transport?: { socket?: Socket } };
}

/** Knows whether the connection is up and, when it is down, why. The library reconnects by itself. */
export class ConnectionWatch {
  private fault: string | null = null;
  /** The id of the connection that was lost last. Not a flag: requests may come on a new connection before its status says so. */
  private lostId: string | undefined;
  private stopDiagnosis = (): void => undefined;

  constructor(
    private readonly connection: NatsConnection,
    private readonly address: BusAddress,
    private readonly refusals: Refusals,
    private readonly log: Log,
  ) {
    void this.watch();
  }

  /** Why no request can be sent now, in a sentence that says how to fix it; null while the connection is up. */
  get problem(): string | null {
    return this.connection.isClosed() ? 'the connection is closed' : this.fault;
  }

  /** The id of the connection, which changes with each reconnect. */
  get connectionId(): string {
    const { server_id, client_id } = this.connection.info ?? {};
    return `${server_id} ${client_id}`;
  }

  /** Whether the connection with this id is still the one in use. */
  isCurrent(connectionId: string): boolean {
    return this.connectionId === connectionId && this.lostId !== connectionId;
  }

  stop(): void {
    this.stopDiagnosis();
  }

  /** Follows the status of the connection. The library reports each attempt to reconnect as a loss; here it is logged once. */
  private async watch(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === 'staleConnection') this.destroySocket();
      if (status.type === 'disconnect') this.lostId = this.connectionId;
      if (status.type === 'disconnect' && this.fault === null) this.onDisconnect();
      else if (status.type === 'reconnect' && this.fault !== null) this.onReconnect();
      else if (status.type === 'error' && isLoginRefused(status.error)) this.onLoginRefused(status.error);
      else if (status.type === 'error') this.log.warn('bus reported an error', { error: status.error });
    }
  }

  /** Closes the socket to a server that answers no ping: the library would first wait up to 15 minutes for what is not sent yet. */
  private destroySocket(): void {
    (this.connection as unknown as WithSocket).protocol?.transport?.socket?.destroy();
  }

  private onDisconnect(): void {
    this.fault = 'not connected';
    this.log.warn('bus connection lost');
    const diagnosis = repeat(() => this.diagnose(), {
      name: 'bus_fault',
      pauseMs: DIAGNOSE_PAUSE_MS,
      onFailure: (error) => this.log.error('could not find out why the bus connection is down', { error }),
    });
    this.stopDiagnosis = () => void diagnosis.stop();
  }

  private onReconnect(): void {
    this.stopDiagnosis();
    this.fault = null;
    this.lostId = undefined;
    this.refusals.count = 0;
    count(RUNTIME_METRICS.busReconnected);
    this.log.info('bus reconnected');
  }

  private onLoginRefused(error: unknown): void {
    this.refusals.count += 1;
    this.report(notConnected(this.address, error));
  }

  /** Finds out why the connection is lost. It waits a moment first, because most losses are over by then. */
  private async diagnose(): Promise<void> {
    await pause(DIAGNOSE_DELAY_MS, undefined, { ref: false });
    if (this.fault === null || this.refusals.count > 0) return;
    const fault = await connectFault(this.address);
    if (fault && this.fault !== null) this.report(fault);
  }

  private report(fault: Error): void {
    if (this.fault === fault.message) return;
    this.fault = fault.message;
    this.log.error('bus connection is down: it is tried again until it is up', { error: fault });
  }
}
