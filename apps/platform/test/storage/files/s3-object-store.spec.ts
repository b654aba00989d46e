import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import { silentLog } from '@codase/runtime/telemetry';
import { FaultProxy, selfSignedCertificate } from '@codase/testing';
import type { FileContent } from '../../../src/storage/files/file-store.ts';
import type { S3Credentials } from '../../../src/storage/files/s3-credentials.service.ts';
import type { S3ObjectStore } from '../../../src/storage/files/s3-object-store.service.ts';
import { storeAnswers } from '../../../src/storage/files/files.service.ts';
import { S3Server } from './s3-server.ts';

const contentOf = (bytes: Buffer): FileContent => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
  async *read() {
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  },
});
const fault = (kind: string, message = '') =>
  expect.objectContaining({ name: 'FileStoreFault', kind, message: expect.stringContaining(message) as string }) as Error;

describe('the S3 object store', () => {
  let server: S3Server;
  let proxy: FaultProxy;
  let far: S3ObjectStore;
  beforeAll(async () => {
    server = await S3Server.open();
    const { hostname: host, port } = new URL(server.endpoint);
    proxy = await FaultProxy.open({ target: { host, port: Number(port) } });
    far = server.storeAt({ endpoint: `http://127.0.0.1:${proxy.port}` });
  });
  afterAll(async () => {
    await far?.close();
    await proxy?.close();
    await server?.close();
  });
  afterEach(() => proxy.heal());

  const big = Buffer.alloc(1_500_000, 'ciphertext');
  const read = async (store: S3ObjectStore, key: string) => buffer(Readable.from(await store.get(key)));

  it('returns what was stored, and nothing after it is deleted', async () => {
    const { store } = server;
    await store.put('a/one', contentOf(big));
    expect((await read(store, 'a/one')).equals(big)).toBe(true);
    expect(await store.has('a/one')).toBe(true);

    await store.delete('a/one');
    await store.delete('a/one');
    expect(await store.has('a/one')).toBe(false);
    await expect(store.get('a/one')).rejects.toEqual(fault('missing'));
  });

  it('lists keys by prefix, page by page, in byte order', async () => {
    const { store } = server;
    const keys = ['l/B', 'l/a', 'l/b', 'l/z', 'm/a'];
    for (const key of keys.toReversed()) await store.put(key, contentOf(Buffer.from('x')));

    expect(await store.list('l/', '', 2)).toEqual({ keys: ['l/B', 'l/a'], isLast: false });
    expect(await store.list('l/', 'l/a', 2)).toEqual({ keys: ['l/b', 'l/z'], isLast: true });
    expect(await store.list('l/', 'l/z', 2)).toEqual({ keys: [], isLast: true });
    for (const key of keys) await store.delete(key);
  });

  it('reports which setting is wrong: keys, bucket or address', async () => {
    const sentenceOf = async (settings: Parameters<S3Server['storeAt']>[0]) => {
      const store = server.storeAt(settings);
      const logged: unknown[] = [];
      const log = { ...silentLog, error: (_: string, { error }: { error: Error }) => void logged.push(error.message) } as typeof silentLog;
      const finding = await storeAnswers(store, log)();
      await store.close();
      // The log has the same sentence as readiness.
      expect(logged).toEqual(finding === null ? [] : [(finding as { note: string }).note]);
      return finding;
    };
    const wrong = (key: Partial<S3Credentials>) => ({ current: () => ({ ...server.credentials, ...key }) });
    const note = (text: string) => ({ note: expect.stringContaining(text) as string });

    expect(await sentenceOf({})).toBeNull();
    expect(await sentenceOf({ credentials: wrong({ accessKeyId: 'WRONG' }) })).toEqual(note('S3_ACCESS_KEY_ID'));
    expect(await sentenceOf({ credentials: wrong({ secretAccessKey: 'WRONG' }) })).toEqual(note('S3_SECRET_ACCESS_KEY'));
    expect(await sentenceOf({ bucket: 'codase-none' })).toEqual(note('no bucket codase-none'));
    expect(await sentenceOf({ endpoint: 'http://127.0.0.1:1' })).toEqual(note('cannot be reached (ECONNREFUSED)'));
  });

  it('connects by TLS with its own authority, and says what to do when it refuses a certificate', async () => {
    const { cert: ca, ...valid } = await withTls({});
    const expired = await withTls({ until: Date.now() - 1000 });
    const sentence = async (settings: Parameters<S3Server['storeAt']>[0]) => {
      const store = server.storeAt(settings);
      const finding = await storeAnswers(store, silentLog)();
      await store.close();
      return finding;
    };
    const store = server.storeAt({ endpoint: valid.endpoint, ca });
    await store.put('t/one', contentOf(big));
    expect((await read(store, 't/one')).equals(big)).toBe(true);
    await store.close();

    expect(await sentence({ endpoint: valid.endpoint })).toEqual({
      note: 'no connection to the object store: nobody who is trusted here signed its certificate: give its authority in S3_CA',
    });
    expect(await sentence({ endpoint: expired.endpoint, ca: expired.cert })).toEqual({
      note: 'no connection to the object store: its certificate has expired: renew it',
    });
    for (const { close } of [valid, expired]) await close();
  });

  /** A TLS terminator before the store, as in production. */
  async function withTls(validity: { until?: number }) {
    const { key, cert } = selfSignedCertificate(validity);
    const { hostname: host, port } = new URL(server.endpoint);
    const sockets = new Set<Socket>();
    const terminator = createServer({ key, cert }, (socket) => {
      const onward = connect(Number(port), host);
      for (const one of [socket, onward]) sockets.add(one.on('error', () => undefined));
      socket.pipe(onward).pipe(socket);
    });
    terminator.listen(0, '127.0.0.1');
    await once(terminator, 'listening');
    return {
      cert,
      endpoint: `https://127.0.0.1:${(terminator.address() as AddressInfo).port}`,
      close: async () => {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => terminator.close(resolve));
      },
    };
  }

  it('uses a replaced key from the next request on', async () => {
    let secretAccessKey = 'OLD';
    const store = server.storeAt({ credentials: { current: () => ({ ...server.credentials, secretAccessKey }) } });
    await expect(store.has('a')).rejects.toEqual(fault('settings'));
    ({ secretAccessKey } = server.credentials);
    expect(await store.has('a')).toBe(false);
    await store.close();
  });

  it('reports a connection that breaks during an upload, which can be repeated', async () => {
    proxy.cutAfter(700_000, 'client');
    await expect(far.put('c/one', contentOf(big))).rejects.toEqual(fault('unreachable'));
    await proxy.heal();

    await far.put('c/one', contentOf(big));
    expect((await read(far, 'c/one')).equals(big)).toBe(true);
  });

  it('reports a connection that breaks during a download instead of ending the file early', async () => {
    await server.store.put('d/one', contentOf(big));
    proxy.cutAfter(700_000, 'target');
    await expect(read(far, 'd/one')).rejects.toEqual(fault('unreachable'));
  });

  it('reports the original error when the content to upload cannot be read', async () => {
    const content: FileContent = {
      ...contentOf(big),
      // oxlint-disable-next-line require-yield -- it fails before
      async *read() {
        throw new Error('the database is gone');
      },
    };
    await expect(server.store.put('e/one', content)).rejects.toThrow('the database is gone');
  });
});
