import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** What the proxy does with a request instead of passing it on and its answer back. */
export type HttpFault =
  /** Answers by itself; what stands behind it hears nothing. */
  | { status: number; headers?: Record<string, string>; body: unknown }
  /** Closes the connection before anything was passed on. */
  | 'cut before'
  /** Passes the request on and closes the connection in the middle of the answer. */
  | 'cut after';

/** What is wrong with a request; undefined when nothing is. */
export type HttpFaults = (request: { method: string; path: string }) => HttpFault | undefined;

/** An HTTP server on 127.0.0.1 that passes everything on to another, and misbehaves on request: what a proxy on the way may do. */
export class HttpFaultProxy {
  /** How many requests came so far, and how many of them met a fault. */
  asked = 0;
  faulted = 0;
  private faults: HttpFaults = () => undefined;
  private readonly agent = new Agent({ keepAlive: false });

  private constructor(
    private readonly server: Server,
    private readonly target: string,
  ) {
    server.on('request', (incoming, outgoing) => this.take(incoming, outgoing));
  }

  static async open({ target }: { target: string }): Promise<HttpFaultProxy> {
    const server = createServer();
    const proxy = new HttpFaultProxy(server, target);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on each request is asked about. */
  misbehave(faults: HttpFaults): void {
    this.faults = faults;
  }

  heal(): void {
    this.faults = () => undefined;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  private take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const fault = this.faults({ method: incoming.method ?? '', path: incoming.url ?? '' });
    this.asked += 1;
    if (fault) this.faulted += 1;
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (fault === undefined || fault === 'cut after') return this.passOn(incoming, outgoing, fault);
    incoming.resume();
    outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(JSON.stringify(fault.body));
  }

  private passOn(incoming: IncomingMessage, outgoing: ServerResponse, fault: 'cut after' | undefined): void {
    const { method, headers } = incoming;
    const further = request(`${this.target}${incoming.url}`, { method, headers, agent: this.agent });
    // Where nobody is behind it, or not for long, the caller sees a connection that breaks.
    further.on('error', () => outgoing.destroy());
    further.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (fault === undefined) return void pipeline(answer, outgoing, () => undefined);
      answer.resume().once('end', () => outgoing.destroy());
      outgoing.write(' ');
    });
    pipeline(incoming, further, () => undefined);
  }
}
