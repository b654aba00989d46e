import type { LookupAddress } from 'node:dns';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { jest } from '@jest/globals';
import { selfSignedCertificate, WebhookReceiver } from '@codase/testing';
import { Outbound, TargetRefused, type OutboundOptions } from '../src/http/outbound.ts';

const BODY = Buffer.from('{"a":1}');
const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: BODY, deadlineMs: 2000, answerBytes: 1024 } as const;

/** A name service that gives these answers one after the other. */
const resolving = (...answers: string[][]) => {
  const lookup = jest.fn((_name: string, _options: object, callback: (error: null, addresses: LookupAddress[]) => void) => {
    const addresses = answers.length > 1 ? answers.shift()! : answers[0]!;
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  });
  return lookup as unknown as NonNullable<OutboundOptions['lookup']>;
};

describe('an outbound call to an address that others choose', () => {
  let receiver: WebhookReceiver;
  let opened: Outbound[];
  beforeEach(async () => {
    receiver = await WebhookReceiver.open();
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((outbound) => outbound.close()));
    await receiver.close();
  });

  const outbound = (options: OutboundOptions) => {
    opened.push(new Outbound(options));
    return opened.at(-1)!;
  };
  const at = (host: string) => `http://${host}:${receiver.port}/in?token=1`;

  it('sends the method, headers and body, and returns the status', async () => {
    receiver.answerNext({ status: 418, body: 'short and stout' });

    expect(await outbound({ loopback: true }).send(at('127.0.0.1'), post)).toEqual({ status: 418 });
    expect(receiver.deliveries).toMatchObject([
      { method: 'POST', path: '/in?token=1', body: BODY, headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('returns the whole response body, however it is split', async () => {
    const plain = createHttpServer((_, response) => {
      for (let nth = 0; nth < 1000; nth++) response.write(String(nth % 10));
      response.end('!'.repeat(200_000));
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;

    const { body } = await outbound({ loopback: true }).exchange(url, { ...post, deadlineMs: 120_000, answerBytes: 300_000 });

    expect(body.toString()).toBe('0123456789'.repeat(100) + '!'.repeat(200_000));
    plain.closeAllConnections();
    await new Promise((resolve) => plain.close(resolve));
  });

  it('trusts additional CA certificates, which it loads only once', async () => {
    const certificate = selfSignedCertificate();
    const secure = createServer(certificate, (_, response) => void response.writeHead(204, { connection: 'close' }).end());
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
    const trusting = outbound({ loopback: true, ca: certificate.cert });
    const read = jest.spyOn(tls, 'createSecureContext');
    const url = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
    const patient = { ...post, deadlineMs: 120_000 };

    for (let nth = 0; nth < 3; nth++) expect(await trusting.send(url, patient)).toEqual({ status: 204 });

    expect(read).not.toHaveBeenCalled();
    await expect(outbound({ loopback: true }).send(url, patient)).rejects.toThrow('self-signed');
    expect(read).toHaveBeenCalled();
    await new Promise((resolve) => secure.close(resolve));
  });

  it.each([['127.0.0.1'], ['localhost'], ['2130706433'], ['0x7f.1'], ['[::ffff:127.0.0.1]'], ['[::1]'], ['0.0.0.0']])(
    'refuses to connect to %s',
    async (host) => {
      await expect(outbound({}).send(at(host), post)).rejects.toBeInstanceOf(TargetRefused);
      expect(receiver.deliveries).toEqual([]);
    },
  );

  it('refuses a network, a resolved name or a port that the operator denies', async () => {
    const deny = { networks: ['127.0.0.0/8', '93.184.216.34'], ports: [receiver.port, 443] };
    const [network, ports] = [
      outbound({ loopback: true, deny: { ...deny, ports: [] } }),
      outbound({ loopback: true, deny: { ...deny, networks: [] } }),
    ];
    const named = outbound({ lookup: resolving(['93.184.216.34']), deny });

    await expect(network.send(at('127.0.0.1'), post)).rejects.toBeInstanceOf(TargetRefused);
    await expect(named.send('http://hooks.example:8080', post)).rejects.toBeInstanceOf(TargetRefused);
    await expect(ports.send(at('127.0.0.1'), post)).rejects.toThrow('the port is not one');
    await expect(ports.send('https://127.0.0.1', post)).rejects.toThrow('the port is not one');
    expect(receiver.deliveries).toEqual([]);
  });

  it('refuses a name that resolves to a private address', async () => {
    await expect(outbound({ lookup: resolving(['10.0.0.1', '::ffff:127.0.0.1']) }).send(at('inside.example'), post)).rejects.toBeInstanceOf(
      TargetRefused,
    );
  });

  it('connects only to the public address of a name that also has a private one', async () => {
    const both = outbound({ loopback: true, lookup: resolving(['10.255.255.1', '127.0.0.1']) });
    expect(await both.send(at('mixed.example'), post)).toEqual({ status: 200 });
  });

  it('resolves a name once, so that DNS rebinding has no effect', async () => {
    const lookup = resolving(['127.0.0.1'], ['10.0.0.1']);

    expect(await outbound({ loopback: true, lookup }).send(at('rebinding.example'), post)).toEqual({ status: 200 });
    expect(lookup).toHaveBeenCalledTimes(1);
  });

  it('follows no redirect', async () => {
    receiver.answerNext({ redirect: receiver.url });

    expect(await outbound({ loopback: true }).send(at('127.0.0.1'), post)).toEqual({ status: 302 });
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('fails with a timeout when no response arrives in time', async () => {
    receiver.answerNext('hang');
    await expect(outbound({ loopback: true }).send(at('127.0.0.1'), { ...post, deadlineMs: 200 })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
  });

  it('is not retried when the connection breaks', async () => {
    receiver.answerNext('close');

    await expect(outbound({ loopback: true }).send(at('127.0.0.1'), post)).rejects.toThrow('other side closed');
    expect(receiver.deliveries).toHaveLength(1);
  });

  it('stops reading an endless response', async () => {
    receiver.answerNext('endless body');
    const startedAt = performance.now();

    expect(await outbound({ loopback: true }).send(at('127.0.0.1'), { ...post, deadlineMs: 120_000 })).toEqual({ status: 200 });
    expect(performance.now() - startedAt).toBeLessThan(60_000);
  });
});
