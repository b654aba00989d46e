import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { WebhookReceiver } from '../src/webhook-receiver.ts';
import { afterwards, undoAfterEach } from '@codase/testing/undo-after-each';

undoAfterEach();

async function open(options?: { tls?: boolean }): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open(options);
  afterwards(() => receiver.close());
  return receiver;
}

const post = (receiver: WebhookReceiver, body: string, path = 'hook') =>
  fetch(receiver.url + path, { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(2_000) });

describe('the webhook receiver', () => {
  it('records each delivery as it was received, and responds with 200', async () => {
    const receiver = await open();
    const bytes = Buffer.from([0, 255, 10, 13]);

    const response = await fetch(`${receiver.url}a/b?c=1`, { method: 'PUT', body: bytes, headers: { 'x-sign': 'abc' } });

    expect(response.status).toBe(200);
    expect(await receiver.next()).toMatchObject({ order: 1, method: 'PUT', path: '/a/b?c=1', body: bytes, headers: { 'x-sign': 'abc' } });
  });

  it('responds to the next deliveries in the given order, and to the others with the default response', async () => {
    const receiver = await open();
    receiver.answerNext({ status: 503, headers: { 'retry-after': '7' }, body: 'later' }, { redirect: 'http://127.0.0.1:1/' });
    receiver.answer(({ path }) => ({ status: path === '/gone' ? 410 : 204 }));

    const first = await post(receiver, '1');
    expect([first.status, first.headers.get('retry-after'), await first.text()]).toEqual([503, '7', 'later']);
    const second = await post(receiver, '2');
    expect([second.status, second.headers.get('location')]).toEqual([302, 'http://127.0.0.1:1/']);
    expect((await post(receiver, '3')).status).toBe(204);
    expect((await post(receiver, '4', 'gone')).status).toBe(410);
  });

  it('can hang, close the connection, or send an endless response', async () => {
    const receiver = await open();
    receiver.answerNext('close', 'hang', 'endless body');

    await expect(post(receiver, 'closed')).rejects.toThrow('fetch failed');
    await expect(fetch(receiver.url, { signal: AbortSignal.timeout(80) })).rejects.toThrow('timeout');
    const endless = await post(receiver, 'endless');
    let read = 0;
    for await (const chunk of endless.body!) {
      read += chunk.length;
      if (read > 200_000) break;
    }

    expect(endless.status).toBe(200);
    expect((await receiver.received(3)).map(({ order }) => order)).toEqual([1, 2, 3]);
  });

  it('counts the deliveries that arrived concurrently', async () => {
    const receiver = await open();
    receiver.answer({ status: 200, delayMs: 50 });

    await post(receiver, 'alone');
    expect(receiver.maxInFlight).toBe(1);
    await Promise.all([post(receiver, 'a'), post(receiver, 'b'), post(receiver, 'c')]);
    expect(receiver.maxInFlight).toBe(3);
  });

  it('returns deliveries one by one, and fails with the count of missing ones after the timeout', async () => {
    const receiver = await open();
    const [first, second] = [receiver.next(), receiver.next()];
    await post(receiver, 'one');
    await post(receiver, 'two');

    expect([(await first).body.toString(), (await second).body.toString()]).toEqual(['one', 'two']);
    await expect(receiver.next(30)).rejects.toThrow('Waited 30 ms for 3 deliveries and got 2.');
  });

  it('speaks TLS to clients that trust its certificate', async () => {
    const receiver = await open({ tls: true });
    const get = (ca?: string) => once(httpsRequest(receiver.url, { ca }).end(), 'response') as Promise<[IncomingMessage]>;

    expect((await get(receiver.certificate))[0].statusCode).toBe(200);
    await expect(get()).rejects.toThrow(/self[- ]signed/);
  });

  it('does not record an incomplete delivery', async () => {
    const receiver = await open();
    const broken = httpRequest(receiver.url, { method: 'POST', headers: { 'content-length': '10' } });
    broken.on('error', () => undefined).write('half');
    await once(broken, 'socket');
    broken.destroy();
    await post(receiver, 'whole');

    expect((await receiver.received(1)).map(({ body }) => body.toString())).toEqual(['whole']);
  });
});
