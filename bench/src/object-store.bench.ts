import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { S3ObjectStore } from '@codase/platform';
import { bench } from './harness/bench.ts';
import { loadPeer, type S3Sdk } from './harness/peers.ts';
import { repeatAsync } from './harness/repeat.ts';

const KEYS = { accessKeyId: 'bench', secretAccessKey: 'bench' };
const BUCKET = 'files';
const CONTENT = randomBytes(64 * 1024);
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

/** A store that keeps nothing, so that the client is measured. It runs in this process, and costs every contender the same. */
async function openStore() {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end(request.method === 'GET' ? CONTENT : undefined));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function setup() {
  const { server, endpoint } = await openStore();
  const { S3Client, PutObjectCommand, GetObjectCommand } = await loadPeer<S3Sdk>('@aws-sdk/client-s3');
  const sdk = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials: KEYS });
  const credentials = { current: () => KEYS };
  const ours = new S3ObjectStore({ endpoint, bucket: BUCKET, region: 'us-east-1', isPathStyle: true, credentials });
  return {
    server,
    ours: {
      put: () => ours.put('one', { bytes: CONTENT.length, sha256: SHA256, read: () => Readable.from([CONTENT]) }),
      get: () => ours.get('one').then(drained),
      close: () => ours.close(),
    },
    sdk: {
      put: () => sdk.send(new PutObjectCommand({ Bucket: BUCKET, Key: 'one', Body: CONTENT })),
      get: () => sdk.send(new GetObjectCommand({ Bucket: BUCKET, Key: 'one' })).then(({ Body }) => drained(Body!)),
      close: async () => sdk.destroy(),
    },
  };
}
type State = Awaited<ReturnType<typeof setup>>;

async function drained(body: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) bytes += chunk.byteLength;
  return bytes;
}

const putAndGet = (of: (state: State) => { put(): Promise<unknown>; get(): Promise<unknown> }) =>
  repeatAsync(async (state: State) => {
    await of(state).put();
    await of(state).get();
  });

export default bench({
  name: 'object-store',
  what: "a put and a get of 64 KB on a local store, by our client (aws4fetch and undici), against the AWS SDK's client of S3",
  unit: 'pairs/s',
  setup,
  teardown: async ({ server, ours, sdk }) => {
    await Promise.all([ours.close(), sdk.close()]);
    server.closeAllConnections();
    server.close();
  },
  contenders: { sdk: putAndGet(({ sdk }) => sdk), ours: putAndGet(({ ours }) => ours) },
  bar: [{ figure: 'cpu_us', over: 'sdk', atMost: 0.8 }],
});
