import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { HttpFaultProxy } from '../src/http-fault-proxy.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';

undoAfterEach();

/** A server behind a proxy. It sends back what it gets, and records it. */
async function echoBehindProxy(): Promise<{ proxy: HttpFaultProxy; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer(async (request, answer) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    heard.push(`${request.method} ${request.url} ${body}`);
    answer.writeHead(201, { 'x-said': request.headers['x-says'] ?? '' }).end(body);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const proxy = await HttpFaultProxy.open({ target: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  afterwards(() => server.close());
  afterwards(() => proxy.close());
  return { proxy, heard };
}

describe('the HTTP fault proxy', () => {
  it('forwards a request and its response unchanged when no fault is set', async () => {
    const { proxy, heard } = await echoBehindProxy();

    const answer = await request(`${proxy.url}/a?b=c`, { method: 'POST', headers: { 'x-says': 'hello' }, body: 'talk' });

    expect([answer.statusCode, answer.headers['x-said'], await answer.body.text()]).toEqual([201, 'hello', 'talk']);
    expect(heard).toEqual(['POST /a?b=c talk']);
    expect(proxy.faulted).toBe(0);
  });

  it('responds itself for a chosen path, without forwarding the request', async () => {
    const { proxy, heard } = await echoBehindProxy();
    proxy.misbehave(({ path }) => (path === '/a' ? { status: 429, headers: { 'retry-after': '1' }, body: { error: 'slow' } } : undefined));

    const refused = await request(`${proxy.url}/a`, { method: 'POST', body: 'talk' });
    expect([refused.statusCode, refused.headers['retry-after'], await refused.body.json()]).toEqual([429, '1', { error: 'slow' }]);
    expect((await request(`${proxy.url}/b`)).statusCode).toBe(201);

    expect(heard).toEqual(['GET /b ']);
    expect([proxy.requests, proxy.faulted]).toEqual([2, 1]);
  });

  it('cuts the connection before it forwards a request, or after the response arrived', async () => {
    const { proxy, heard } = await echoBehindProxy();
    const whole = async (path: string) => (await request(`${proxy.url}${path}`, { method: 'POST', body: 'talk' })).body.text();

    proxy.misbehave(() => 'cut before');
    await expect(whole('/before')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    proxy.misbehave(() => 'cut after');
    await expect(whole('/after')).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
    proxy.heal();
    expect(await whole('/healed')).toBe('talk');

    expect(heard).toEqual(['POST /after talk', 'POST /healed talk']);
  });

  it('cuts the connection when the target is not reachable', async () => {
    const proxy = await HttpFaultProxy.open({ target: 'http://127.0.0.1:9' });
    afterwards(() => proxy.close());

    await expect(request(proxy.url)).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  });
});
