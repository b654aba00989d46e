import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as passes } from 'node:timers/promises';
import { silentLog } from '@codase/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { Files, storeAnswers } from '../../../src/storage/files/files.service.ts';
import type { S3ObjectStore } from '../../../src/storage/files/s3-object-store.service.ts';
import { newSealingKey, sealed } from '../../../src/storage/files/sealed-content.ts';
import type { StoredObject } from '../../../src/storage/files/stored-objects.store.ts';
import { S3Server } from './s3-server.ts';

const CONTENT = randomBytes(3_000_000);
const DOWNLOAD_MS = 1000;
const CONNECTIONS = 2;

describe('files in an object store', () => {
  let server: S3Server;
  let store: S3ObjectStore;
  let files: Files;
  let stored: StoredObject;
  beforeAll(async () => {
    server = await S3Server.open();
    store = server.storeAt({ connections: CONNECTIONS, downloadMs: DOWNLOAD_MS });
    // The streams of files need no database.
    files = new Files({} as DataSource, store, { base: 'region', region: 'eu' }, silentLog);
    stored = await puts('eu-1/file', CONTENT);
  });
  afterAll(async () => {
    await store?.close();
    await server?.close();
  });

  const puts = async (object_key: string, clear: Buffer): Promise<StoredObject> => {
    const sealing_key = newSealingKey();
    const content = await sealed({ object_key, sealing_key }, async function* () {
      yield clear;
    });
    await store.put(object_key, content);
    return { object_key, sealing_key, bytes: content.bytes };
  };
  /** Begins to read a file. */
  const begins = async (file = stored) => {
    const chunks = (await files.stream(file))[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done) throw new Error('the file is empty');
    return { first: first.value, rest: { [Symbol.asyncIterator]: () => chunks } };
  };
  const whole = async ({ first, rest }: Awaited<ReturnType<typeof begins>>) => {
    const chunks = [first];
    for await (const chunk of rest) chunks.push(chunk);
    return Buffer.concat(chunks);
  };

  it('are read completely by a reader that takes longer than the download timeout', async () => {
    const reader = await begins();
    await passes(DOWNLOAD_MS + 200);

    expect((await whole(reader)).equals(CONTENT)).toBe(true);
  });

  it('can be read, and the store stays available, while more idle readers than connections are open', async () => {
    const idle = await Promise.all(Array.from({ length: CONNECTIONS + 1 }, () => begins()));

    expect((await whole(await begins())).equals(CONTENT)).toBe(true);
    expect(await storeAnswers(store, silentLog)()).toBeNull();
    for (const reader of idle) expect((await whole(reader)).equals(CONTENT)).toBe(true);
  });

  it.each([0, 1, 512 * 1024 - 16, 512 * 1024, 1024 * 1024])('are read completely with %d bytes', async (length) => {
    const clear = CONTENT.subarray(0, length);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await files.stream(await puts(`eu-1/${length}`, clear))) chunks.push(chunk);

    expect(Buffer.concat(chunks).equals(clear)).toBe(true);
  });

  it('are reported as corrupt when the store has fewer bytes than were stored', async () => {
    const file = await puts('eu-1/cut', CONTENT);
    const corrupt = expect.objectContaining({ name: 'FileStoreFault', kind: 'corrupt' }) as Error;
    for (const bytes of [Buffer.alloc(CONTENT.length - 1), Buffer.alloc(600_000)]) {
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      await store.put(file.object_key, {
        bytes: bytes.length,
        sha256,
        async *read() {
          yield bytes;
        },
      });
      await expect(begins(file).then(whole)).rejects.toEqual(corrupt);
    }
  });
});
