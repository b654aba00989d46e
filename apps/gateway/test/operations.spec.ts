import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { connect, type CodaseClient } from '@codase/client';
import { CALL_FORWARDER, companyData, connections, operation, Refusal } from '@codase/contracts';
import { asyncapi, type AsyncapiDocument } from '@codase/runtime/asyncapi';
import type { Bus } from '@codase/runtime/bus';
import { readConfig } from '@codase/runtime/config';
import type { RunningService } from '@codase/runtime/service';
import { silentLog } from '@codase/runtime/telemetry';
import { eventually, TestBus } from '@codase/testing';
import { Config, start } from '../src/index.ts';
import { Platform } from './a-platform.ts';

const FILE = { params: { connectionId: 'con_1', serviceFieldId: 'fld_1' } };

describe('gateway operations on the bus', () => {
  let nats: TestBus;
  let bus: Bus;
  let platform: Platform;
  let gateway: RunningService;
  let client: CodaseClient;
  beforeAll(async () => {
    process.env['LOG_LEVEL'] ??= 'silent';
    [nats, platform] = await Promise.all([TestBus.open(), Platform.open()]);
    const { url, user, password } = nats.credentials;
    const env = {
      OPS_PORT: '0',
      NATS_URL: url,
      NATS_USER: user,
      NATS_PASSWORD: password,
      FRONT_DOOR_URL: platform.url,
      SERVICES: '{"shop":{"client_id":"svc_1","client_secret":"s"}}',
    };
    gateway = await start(readConfig(Config, env));
    client = await connect({ ...nats.credentials, service: 'shop', log: silentLog });
    bus = await nats.connect();
  });
  afterAll(async () => {
    platform?.close();
    await client?.close();
    await gateway?.close();
    await nats?.close();
  });

  it("are described in the AsyncAPI document beside the probes, with the rest of the suite's bus", async () => {
    const answer = await fetch(`${gateway.opsUrl}/asyncapi.json`);
    const document = (await answer.json()) as AsyncapiDocument;

    expect([answer.status, document.asyncapi]).toEqual([200, '3.0.0']);
    expect(document).toEqual(JSON.parse(JSON.stringify(asyncapi())));
    expect(document.channels['gateway_whoami']!.address).toBe(operation(companyData.whoami).pattern);
    expect(await (await fetch(`${gateway.opsUrl}/`)).json()).toEqual({ error: 'Ask /livez, /readyz, /metrics, /asyncapi.json' });
  });

  const serves = (content_type: string, bytes: Buffer) => {
    platform.onData = (_, response) => void response.writeHead(200, { 'content-type': content_type }).end(bytes);
  };

  it("return a file's bytes and type @spec D1-2.8", async () => {
    serves('image/png', Buffer.from([0, 1, 254, 255]));

    expect(await client.request(connections.readSlotFile, FILE)).toEqual({
      content_type: 'image/png',
      bytes: Uint8Array.from([0, 1, 254, 255]),
    });
  });

  it('refuse a file that is too long for the bus, and refer to the HTTP server', async () => {
    serves('image/png', Buffer.alloc(4 * 1024 * 1024));

    await expect(client.request(connections.readSlotFile, FILE)).rejects.toMatchObject({
      key: 'request.too_large',
      message: expect.stringContaining('HTTP server'),
    });
  });

  it.each([
    ['announced', { 'content-length': '40000000' }, 1],
    ['as it comes', {}, 1024 * 1024 + 1],
  ])('stop reading a file that is too long: %s', async (_, length, bytes) => {
    let closed: Promise<unknown> | undefined;
    platform.onData = (request, response) => {
      closed ??= once(request.socket, 'close');
      response.writeHead(200, { 'content-type': 'image/png', ...length }).write(Buffer.alloc(bytes));
      return undefined;
    };

    await expect(client.request(connections.readSlotFile, FILE)).rejects.toMatchObject({ key: 'request.too_large' });
    await closed;
  });

  it("answer before the caller's timeout", async () => {
    platform.onData = () => undefined;

    // The gateway keeps a twentieth of the timeout for the way back. Where the machine is slower than that, the timeout is doubled.
    let timeout = 500;
    const refused = await eventually(async () => {
      timeout *= 2;
      const { message } = (await bus
        .request(operation(companyData.whoami), { service: 'shop' }, {}, { timeout })
        .catch((error: Error) => error)) as Error;
      return message.includes('The platform did not answer in time') ? message : undefined;
    });

    expect(refused).toBeDefined();
  });

  it("pass on the platform's refusals", async () => {
    platform.onData = () => new Refusal('company_data.file_expired', { digest: 'abc', expired_at: '2026-01-01T00:00:00Z' });

    await expect(client.request(connections.readSlotFile, FILE)).rejects.toMatchObject({
      key: 'company_data.file_expired',
      extras: { digest: 'abc' },
    });
  });

  describe('calls to a plugin @spec D2-4.5', () => {
    const SEALED = JSON.stringify({ _enc: 1, k: `${'q83v'.repeat(85)}qw==`, iv: 'AAECAwQFBgcICQoL', d: 'QUFBQUFBQUFBQUFBQUFBQQ==' });
    const QUESTION = { pass: 'a-pass', plugin_id: 'plug_1', request: SEALED };
    const call = (forwarder_url = platform.url, service = 'shop') =>
      bus.request(CALL_FORWARDER, { service }, { ...QUESTION, forwarder_url }, { timeout: 5_000 });

    it('are sent to the forwarder unchanged and without a token', async () => {
      const heard: unknown[] = [];
      platform.onData = (request, response) => {
        void text(request).then((body) => {
          heard.push(request.method, request.url, JSON.parse(body));
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ reply: SEALED }));
        });
      };
      const [before, tokens] = [platform.requests.length, platform.tokens];

      expect(await call()).toEqual({ reply: SEALED });
      expect(heard).toEqual(['POST', '/call', QUESTION]);
      expect([platform.requests.slice(before), platform.tokens]).toEqual([[''], tokens]);
    });

    it("return the forwarder's refusal with its key and extras", async () => {
      platform.onData = () => new Refusal('plugin.key_changed', { public_key: 'bmV3' });
      await expect(call()).rejects.toMatchObject({ key: 'plugin.key_changed', extras: { public_key: 'bmV3' } });
      for (const key of ['plugin.pass_invalid', 'plugin.busy', 'plugin.not_responding'] as const) {
        platform.onData = () => new Refusal(key);
        await expect(call()).rejects.toMatchObject({ key });
      }
    });

    it('are sent only to hosts of the platform, and only for services of the gateway', async () => {
      const before = platform.requests.length;
      await expect(call('https://forwarder.example')).rejects.toMatchObject({ key: 'gateway.host_refused' });
      await expect(call(platform.url, 'other')).rejects.toMatchObject({ key: 'gateway.client_unknown' });
      expect(platform.requests).toHaveLength(before);
    });
  });
});
