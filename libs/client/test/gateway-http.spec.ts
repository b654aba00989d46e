import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { connect, type CodaseClient } from '@codase/client';
import { connections, messages, Refusal } from '@codase/contracts';
import { silentLog } from '@codase/runtime/telemetry';
import { TestBus } from '@codase/testing';
import { sealedWord } from './a-suite.ts';

const FILE = { params: { connectionId: 'con_1', serviceFieldId: 'fld 1' } };
const FLOW_ID = 'flow_1';

describe('content that is too long for the bus @spec D1-2.8', () => {
  let nats: TestBus;
  let server: Server;
  let client: CodaseClient;
  let play: (request: IncomingMessage, response: ServerResponse) => unknown;
  const requests: string[] = [];
  beforeAll(async () => {
    nats = await TestBus.open();
    // On a loaded machine a kept connection could end between two tests, just when the client sends on it again.
    server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers['codase-timeout-ms']}`);
      void play(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    client = await connect({ ...nats.credentials, service: 'shop', gateway: { url, token: 'gateway-token' }, log: silentLog });
  });
  afterAll(async () => {
    await client?.close();
    server?.closeAllConnections();
    server?.close();
    await nats?.close();
  });

  it("is read as a stream from the gateway's HTTP server", async () => {
    let finish = () => {};
    play = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png', 'x-platform-content-sha256': 'abc' }).write('first');
      finish = () => response.end(' and last');
    };

    const { content_type, content_sha256, body } = await client.download(connections.readSlotFile, FILE, { timeoutMs: 60_000 });
    const chunks: string[] = [];
    for await (const chunk of body) {
      chunks.push(Buffer.from(chunk).toString());
      finish(); // only now: the first chunk has come while the server was still sending
    }

    expect([content_type, content_sha256, chunks.join('')]).toEqual(['image/png', 'abc', 'first and last']);
    expect(requests.at(-1)).toBe('GET /v1/shop/read_slot_file?connectionId=con_1&serviceFieldId=fld+1 Bearer gateway-token 60000');
  });

  it('is opened as a file when its JSON has that shape, and returned as it is otherwise', async () => {
    const reads = (type: string, body: string) => {
      play = (_, response) => response.writeHead(200, { 'content-type': type }).end(body);
      return client.flows.linkedFile({ connection_id: 'con_1', flow: FLOW_ID, slug: 'settings' });
    };
    const [bytes, name] = [Buffer.from('{"a":1}'), 'settings.json'];
    const envelope = (type: string) =>
      JSON.stringify({ file: `data:${type};base64,${bytes.toString('base64')}`, original_name: name, mime_type: type, size: bytes.length });

    const served = JSON.stringify({ encrypted: false, value: envelope('application/json') });
    expect(await reads('application/json; charset=utf-8', served)).toEqual({ bytes, name, type: 'application/json' });
    for (const type of ['application/json', 'application/json-seq'])
      expect(await reads(type, bytes.toString())).toEqual({ bytes, name: null, type });
    await expect(reads('application/json', '{"encrypted":true}')).rejects.toMatchObject({ key: 'decryptor.unreadable' });
  });

  it('is never taken as complete when the connection breaks', async () => {
    let breakOff = () => {};
    play = (_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write('half');
      breakOff = () => response.destroy();
    };

    const { body } = await client.download(connections.readSlotFile, FILE);
    breakOff();

    await expect(text(body)).rejects.toThrow('terminated');
  });

  it("is sent through the gateway's HTTP server, and answered as its contract says", async () => {
    const answer = { message_id: 'msg_1', connection_id: 'con_1', created_at: '2026-03-02T10:00:00Z' };
    let sent = '';
    play = async (request, response) => {
      sent = await text(request);
      response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    };
    const body = { body: sealedWord('x'.repeat(3_000_000)) };

    expect(await client.upload(messages.sendMessage, { params: { connectionId: 'con_1' }, body })).toEqual(answer);
    expect(JSON.parse(sent)).toEqual(body);
    expect(requests.at(-1)).toMatch(/^POST \/v1\/shop\/send_message\?connectionId=con_1 /);
  });

  it('is refused with the refusal of the gateway', async () => {
    play = (_, response) => {
      const refusal = new Refusal('db.writes_paused');
      response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '7' }).end(JSON.stringify(refusal.toBody()));
    };
    await expect(client.download(connections.readSlotFile, FILE)).rejects.toMatchObject({ key: 'db.writes_paused', retryAfter: 7 });

    play = (_, response) => {
      const newer = { error: 'The file is archived', error_key: 'company_data.file_archived' };
      response.writeHead(410, { 'content-type': 'application/json' }).end(JSON.stringify(newer));
    };
    await expect(client.download(connections.readSlotFile, FILE)).rejects.toMatchObject({
      key: 'gateway.refusal_unknown',
      message: 'company_data.file_archived: The file is archived',
    });

    play = (_, response) => response.writeHead(502).end('<html>');
    await expect(client.download(connections.readSlotFile, FILE)).rejects.toMatchObject({
      key: 'service.unavailable',
      message: expect.stringContaining('502'),
    });
  });

  it('fails when no answer comes before its timeout', async () => {
    play = () => {};
    await expect(client.download(connections.readSlotFile, FILE, { timeoutMs: 50 })).rejects.toMatchObject({ key: 'service.unavailable' });
    await expect(client.download(connections.readSlotFile, FILE, { signal: AbortSignal.timeout(50) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('stops on its abort signal during the download, even after garbage collection', async () => {
    play = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' });
      const dripping = setInterval(() => response.write('x'), 20);
      response.once('close', () => clearInterval(dripping));
    };
    setFlagsFromString('--expose-gc');
    const collecting = setInterval(runInNewContext('gc') as () => void, 50);
    try {
      const { body } = await client.download(connections.readSlotFile, FILE, { signal: AbortSignal.timeout(1000) });
      await expect(new Response(body).arrayBuffer()).rejects.toMatchObject({ name: 'TimeoutError' });
    } finally {
      clearInterval(collecting);
    }
  });

  it('cannot be transferred when no HTTP server of the gateway is configured', async () => {
    const without = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    await expect(without.download(connections.readSlotFile, FILE)).rejects.toThrow('give connect() a `gateway`');
    await without.close();
  });
});
