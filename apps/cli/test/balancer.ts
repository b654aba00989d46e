import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Sends every request to the next of several replicas. */
export class Balancer {
  /** How many requests each replica was sent. */
  readonly served: number[];
  private readonly agent = new Agent({ keepAlive: true });
  private next = 0;

  private constructor(
    private readonly server: Server,
    private readonly ports: readonly number[],
  ) {
    this.served = ports.map(() => 0);
    server.on('request', (request, answer) => this.forward(request, answer));
  }

  static async open(port: number, ports: readonly number[]): Promise<Balancer> {
    const server = createServer();
    const balancer = new Balancer(server, ports);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return balancer;
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    this.agent.destroy();
    await closed;
  }

  private forward(requested: IncomingMessage, answer: ServerResponse): void {
    const nth = this.next++ % this.ports.length;
    this.served[nth]! += 1;
    const { method, url: path, headers } = requested;
    const onward = request({ host: '127.0.0.1', port: this.ports[nth], method, path, headers, agent: this.agent });
    onward.on('response', (response) => {
      answer.writeHead(response.statusCode!, response.rawHeaders);
      response.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    requested.pipe(onward);
  }
}
