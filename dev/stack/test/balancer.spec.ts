import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';
import { comesTrue } from '@codase/testing/eventually';
import { freePort } from '@codase/servers';
import { Balancer, type Target } from '../src/balancer.ts';

undoAfterEach();

/** A replica that answers with its name, and says whether it is ready. */
class Replica {
  isReady = true;
  private constructor(
    readonly server: Server,
    readonly target: Target,
  ) {}

  static async open(name: string): Promise<Replica> {
    const server = createServer(({ url }, response) => void response.writeHead(url !== '/readyz' || replica.isReady ? 200 : 503).end(name));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const replica = new Replica(server, { port, opsPort: port });
    afterwards(() => replica.dies());
    return replica;
  }

  dies(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

describe('the balancer', () => {
  let port: number;
  const balances = async (...replicas: Replica[]) => {
    port = await freePort();
    const balancer = await Balancer.open(
      port,
      replicas.map(({ target }) => target),
    );
    afterwards(() => balancer.close());
  };
  const asks = () =>
    new Promise<string>((resolve, reject) => {
      const pending = request({ port, host: '127.0.0.1', agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => (body += text));
        response.on('end', () => resolve(body));
      });
      pending.on('error', reject).end();
    });
  const names = async () => new Set([await asks(), await asks(), await asks(), await asks()]);

  it('distributes calls among the replicas in turn', async () => {
    await balances(await Replica.open('a'), await Replica.open('b'));
    expect(await names()).toEqual(new Set(['a', 'b']));
  });

  it('skips a dead replica without an error to the caller', async () => {
    const [a, b] = [await Replica.open('a'), await Replica.open('b')];
    await balances(a, b);
    a.dies();
    expect(await names()).toEqual(new Set(['b']));
  });

  it('sends no calls to a replica that is not ready, and resumes when it is', async () => {
    const [a, b] = [await Replica.open('a'), await Replica.open('b')];
    a.isReady = false;
    await balances(a, b);
    await comesTrue(async () => expect(await names()).toEqual(new Set(['b'])));
    a.isReady = true;
    await comesTrue(async () => expect(await names()).toEqual(new Set(['a', 'b'])));
  });

  it('closes the connection when no replica is left', async () => {
    const a = await Replica.open('a');
    await balances(a);
    a.dies();
    await expect(asks()).rejects.toThrow(/ECONNRESET|socket hang up/);
  });
});
