import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import { PLUGIN_CALL } from '@codase/contracts';
import { Outbound, type OutboundOptions } from '@codase/runtime/http';
import { selfSignedCertificate } from '@codase/testing';
import { PluginClient } from './plugin-client.service.ts';

const TLS = selfSignedCertificate();
const SEALED = JSON.stringify({
  _enc: 1,
  k: Buffer.alloc(256).toString('base64'),
  iv: Buffer.alloc(12).toString('base64'),
  d: Buffer.alloc(32).toString('base64'),
});
const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const DESCRIPTION = {
  name: 'Plugin',
  public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  field_types: [{ field_type: 'field', label: 'Field', blocks: [], inputs: [], outputs: [] }],
};

/** A played name service: the addresses that each name has now. This machine stands for the internet. */
const names = new Map<string, string[]>();
const lookup = ((name: string, _options: object, callback: (error: null, addresses: LookupAddress[]) => void) =>
  callback(
    null,
    (names.get(name) ?? ['127.0.0.1']).map((address) => ({ address, family: 4 })),
  )) as unknown as NonNullable<OutboundOptions['lookup']>;

describe('PluginClient @spec D2-7 @gap D2-8', () => {
  const outbound = new Outbound({ loopback: true, httpsOnly: true, ca: TLS.cert, lookup });
  const client = new PluginClient(outbound);
  const closing: (() => void)[] = [];
  afterAll(async () => {
    await outbound.close();
    for (const close of closing) close();
  });

  const serves = async (listener: RequestListener, tls = TLS): Promise<number> => {
    const server = createServer(tls, listener);
    closing.push(() => {
      server.close();
      server.closeAllConnections();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  };
  const at = (port: number, host = 'localhost') => ({ base_url: `https://${host}:${port}`, token: undefined });
  const reply = async (listener: RequestListener) => client.ask(at(await serves(listener)), SEALED);
  const answers = (body: unknown, status = 200) => reply((_, response) => response.writeHead(status).end(JSON.stringify(body)));
  const described = async (body: unknown) =>
    client.describe(at(await serves((_, response) => response.end(typeof body === 'string' ? body : JSON.stringify(body)))));

  it('calls a plugin with its token, and returns the reply unchanged', async () => {
    const heard: unknown[] = [];
    const port = await serves((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        heard.push(request.method, request.url, request.headers.authorization, JSON.parse(body));
        response.end(JSON.stringify({ reply: SEALED, more: 'not passed on' }));
      });
    });

    expect(await client.ask({ base_url: `https://localhost:${port}/deep`, token: 'ours' }, SEALED)).toEqual({ reply: SEALED });
    expect(heard).toEqual(['POST', '/deep/call', 'Bearer ours', { request: SEALED }]);
  });

  it('reports a changed key when the plugin answers 409', async () => {
    await expect(answers({}, 409)).resolves.toBe('key_changed');
  });

  it('gives up when a plugin hangs, or sends too slowly to finish in time', async () => {
    const hangs: RequestListener = () => undefined;
    const trickles: RequestListener = (_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 500);
      response.on('close', () => clearInterval(timer));
    };
    const late = `It did not answer within ${PLUGIN_CALL.seconds} seconds`;
    await Promise.all([hangs, trickles].map((listener) => expect(reply(listener)).rejects.toThrow(late)));
  });

  it.each<[string, RequestListener, string]>([
    ['too much, and says so', (_, r) => r.end('x'.repeat(PLUGIN_CALL.reply_bytes + 1)), 'Its answer is too long'],
    ['without end', (_, r) => pour(r), 'Its answer is too long'],
    ['half of it, and closes', (_, r) => r.writeHead(200, { 'content-length': '9' }).write('{}', () => r.destroy()), 'broke off'],
    ['nothing, and closes', (_, r) => r.destroy(), 'broke off'],
    ['a redirect', (_, r) => r.writeHead(302, { location: 'https://localhost/' }).end(), 'It answered 302'],
    ['an error', (_, r) => r.writeHead(500).end('secrets of ours'), 'It answered 500'],
    ['no content', (_, r) => r.writeHead(204).end(), 'It answered 204'],
    ['garbage', (_, r) => r.end('<html>'), 'Its reply is not valid: it is no JSON'],
    ['a list', (_, r) => r.end('[]'), 'Its reply is not valid'],
    ['a reply in the clear', (_, r) => r.end('{"reply":"Ana lives in Vienna"}'), 'must be a wrapper'],
  ])('refuses a plugin that answers with %s', async (_, listener, reason) => {
    await expect(reply(listener)).rejects.toThrow(reason);
    await expect(reply(listener)).rejects.not.toThrow(/secrets|Ana/);
  });

  it.each([
    ['no JSON', '<html>', 'Its description is not valid: it is no JSON'],
    ['no fields', { ...DESCRIPTION, field_types: [] }, 'field_types: must not be empty'],
    ['a key that is none', { ...DESCRIPTION, public_key: 'a2V5' }, 'public_key is not an RSA-2048 key'],
    ['a block that waits for one after it', withBlocks({ depends_on: ['b'] }, {}), 'must depend on blocks before them alone'],
    ['two blocks of one key', withBlocks({ key: 'b' }, {}), 'must have keys that differ'],
    ['a kind that nobody knows', withBlocks({ kind: 'video' }, {}), 'must be one of search_select'],
    ['too much', 'x'.repeat(300 * 1024), 'Its answer is too long'],
  ])('refuses a plugin whose description has %s', async (_, description, reason) => {
    await expect(described(description)).rejects.toThrow(reason);
  });

  it('returns a valid description', async () => {
    await expect(described({ ...DESCRIPTION, more: 'left out' })).resolves.toEqual(DESCRIPTION);
  });

  it('refuses a certificate that is untrusted, expired or for another host', async () => {
    const untrusted = 'Its certificate is not one that is trusted for its address';
    const port = await serves((_, response) => response.end('{}'));
    names.set('plugin.example', ['127.0.0.1']);
    await expect(client.ask(at(port, 'plugin.example'), SEALED)).rejects.toThrow(untrusted);
    for (const tls of [selfSignedCertificate(), selfSignedCertificate({ until: Date.now() - 1000 })]) {
      const other = await serves((_, response) => response.end('{}'), tls);
      await expect(client.ask(at(other), SEALED)).rejects.toThrow(untrusted);
    }
  });

  describe('for a plugin at a private address', () => {
    const strict = new Outbound({ httpsOnly: true, ca: TLS.cert, lookup });
    const careful = new PluginClient(strict);
    afterAll(() => strict.close());
    const NOT_PUBLIC = 'It was not called: the address is not one on the public internet';

    it('does not call it, even when the name had another address a moment ago', async () => {
      let called = 0;
      await serves(() => (called += 1));
      const asks = () => careful.ask({ base_url: 'https://rebinds.example', token: undefined }, SEALED);
      for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '192.168.1.1']) {
        names.set('rebinds.example', [address]);
        await expect(asks()).rejects.toThrow(NOT_PUBLIC);
      }
      for (const literal of ['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]'])
        await expect(careful.ask({ base_url: `https://${literal}`, token: undefined }, SEALED)).rejects.toThrow(NOT_PUBLIC);
      expect(called).toBe(0);
    });

    it('does not call a port that is not allowed, nor a URL without TLS', async () => {
      names.set('plugin.example', ['93.184.216.34']);
      for (const base_url of ['https://plugin.example:8443', 'http://plugin.example', 'http://plugin.example:443'])
        await expect(careful.ask({ base_url, token: undefined }, SEALED)).rejects.toThrow('the port is not one that may be called');
    });
  });
});

function withBlocks(first: object, second: object) {
  const block = { kind: 'text', label: 'Block' };
  const blocks = [
    { key: 'a', ...block, ...first },
    { key: 'b', ...block, ...second },
  ];
  return { ...DESCRIPTION, field_types: [{ ...DESCRIPTION.field_types[0], blocks }] };
}

/** Writes without end, as fast as the reader reads. */
function pour(response: Parameters<RequestListener>[1]): void {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', more);
  more();
}
