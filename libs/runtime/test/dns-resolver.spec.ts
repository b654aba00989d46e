import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { WebhookReceiver } from '@codase/testing';
import { DnsResolver, Outbound } from '../src/http/index.ts';

const post = { method: 'POST', headers: {}, body: Buffer.from('{}'), deadlineMs: 60_000, answerBytes: 1024 } as const;
/** How long a name server may take. */
const WITHIN_MS = 3000;
const QUERY = { id: 2, header: 12, typeAndClass: 4 } as const;
const [A, AAAA] = [1, 28];

/**
 * A name server that knows the address of `well` and `half`, and says that `none` does not exist. It answers nothing to queries for other
 * names, or for the IPv6 address of `half`.
 */
class NameServer {
  readonly requests: string[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on('message', (query, { port }) => {
      const answer = this.answer(query);
      if (answer) socket.send(answer, port, '127.0.0.1');
    });
  }

  static async open(): Promise<NameServer> {
    const socket = createSocket('udp4').bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return new NameServer(socket);
  }

  get address(): string {
    return `127.0.0.1:${this.socket.address().port}`;
  }

  close(): void {
    this.socket.close();
  }

  private answer(query: Buffer): Buffer | undefined {
    const end = query.indexOf(0, QUERY.header);
    const name = query.subarray(QUERY.header + 1, QUERY.header + 1 + query[QUERY.header]!).toString();
    const type = query.readUInt16BE(end + 1);
    this.requests.push(name);
    if (!['well', 'half', 'none'].includes(name) || (name === 'half' && type === AAAA)) return undefined;
    const isKnown = name !== 'none' && type === A;
    const header = Buffer.alloc(QUERY.header - QUERY.id);
    header.set([0x81, name === 'none' ? 0x83 : 0x80, 0, 1, 0, isKnown ? 1 : 0]);
    const address = Buffer.from([0xc0, QUERY.header, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, 127, 0, 0, 1]);
    return Buffer.concat([
      query.subarray(0, QUERY.id),
      header,
      query.subarray(QUERY.header, end + 1 + QUERY.typeAndClass),
      ...(isKnown ? [address] : []),
    ]);
  }
}

describe('the DNS resolver for host names that others choose', () => {
  let server: NameServer;
  let receiver: WebhookReceiver;
  let outbound: Outbound;
  beforeEach(async () => {
    [server, receiver] = await Promise.all([NameServer.open(), WebhookReceiver.open()]);
    outbound = new Outbound({ loopback: true, lookup: new DnsResolver({ servers: [server.address], withinMs: WITHIN_MS }).lookup });
  });
  afterEach(async () => {
    await outbound.close();
    await receiver.close();
    server.close();
  });

  const send = (name: string) => outbound.send(`http://${name}.example:${receiver.port}/in`, post);
  const timed = async (work: Promise<unknown>) => {
    const startedAt = performance.now();
    await work.catch(() => undefined);
    return performance.now() - startedAt;
  };

  it('resolves a name while many other lookups hang, and fails those soon', async () => {
    const tarpits = Array.from({ length: 50 }, (_, nth) => send(`tarpit-${nth}`).catch((error: { code: string }) => error.code));
    const took = await timed(send('well'));

    expect(receiver.deliveries).toHaveLength(1);
    expect(took).toBeLessThan(WITHIN_MS);
    expect(new Set(await Promise.all(tarpits))).toEqual(new Set(['ECANCELLED']));
  });

  it('uses the IPv4 address when the IPv6 lookup is never answered', async () => {
    expect(await send('half')).toEqual({ status: 200 });
  });

  it('fails at once for a name that does not exist', async () => {
    await expect(send('none')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('sends one query for concurrent lookups of the same name', async () => {
    await Promise.all(Array.from({ length: 10 }, () => send('well')));

    expect(receiver.deliveries).toHaveLength(10);
    expect(server.requests).toEqual(['well', 'well']);
  });

  it('resolves localhost names without asking a name server', async () => {
    for (const name of ['localhost', 'a.localhost', 'localhost.'])
      expect(await outbound.send(`http://${name}:${receiver.port}/in`, post)).toEqual({ status: 200 });
    expect(server.requests).toEqual([]);
  });
});
