import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** What the proxy does with a request instead of passing on the request and its answer. */
export type HttpFault =
  /** Answers by itself, and the target never sees the request. */
  | { status: number; headers?: Record<string, string>; body: unknown }
  /** Closes the connection before passing on the request. */
  | 'cut before'
  /** Passes on the request and closes the connection in the middle of the answer. */
  | 'cut after';

/** Chooses the fault of a request. Returns undefined for no fault. */
type HttpFaults = (request: { method: string; path: string }) => HttpFault | undefined;

/** An HTTP server on 127.0.0.1 that passes all requests on to another one, and misbehaves on request as a real proxy may. */
export class HttpFaultProxy {
  /** How many requests arrived so far, and how many of them got a fault. */
  requests = 0;
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

  /** Asks this function about each request from now on. */
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
    this.requests += 1;
    if (fault) this.faulted += 1;
    if (fault === 'cut before') return void incoming.socket.destroy();
    if (fault === undefined || fault === 'cut after') return this.passOn(incoming, outgoing, fault);
    incoming.resume();
    outgoing.writeHead(fault.status, { 'content-type': 'application/json', ...fault.headers }).end(JSON.stringify(fault.body));
  }

  private passOn(incoming: IncomingMessage, outgoing: ServerResponse, fault: 'cut after' | undefined): void {
    const { method, headers } = incoming;
    const further = request(`${this.target}${incoming.url}`, { method, headers, agent: this.agent });
    // When the target does not listen or breaks off, the caller sees a broken connection.
    further.on('error', () => outgoing.destroy());
    further.on('response', (answer) => {
      if (outgoing.destroyed) return void answer.destroy(); // the caller has gone, so a pipeline would throw
      outgoing.writeHead(answer.statusCode!, answer.headers);
      if (fault === undefined) return void pipeline(answer, outgoing, () => undefined);
      answer.resume().once('end', () => outgoing.destroy());
      outgoing.write(' ');
    });
    pipeline(incoming, further, () => undefined);
  }
}
