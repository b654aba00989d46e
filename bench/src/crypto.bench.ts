import { createPrivateKey } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { createServiceKey, importValuePublicKey, sealValue } from '@cds/crypto';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@cds/crypto/open';
import { bench, type Contender } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const CORES = availableParallelism();
// Two operations per core keep it busy while the event loop hands out the next one; the libuv pool must have as many threads.
const LANES = 2 * CORES;
const IN_FLIGHT = 4 * LANES;

/** Nothing but RSA-OAEP with a key imported once, on a thread of its own: as fast as this machine can be. */
const BARE_RSA = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { constants, createPrivateKey, privateDecrypt } = require('node:crypto');
  const key = { key: createPrivateKey(workerData.pem), padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' };
  parentPort.on('message', (seconds) => {
    const start = performance.now();
    let operations = 0;
    while (performance.now() - start < seconds * 1000) { privateDecrypt(key, workerData.k); operations += 1; }
    parentPort.postMessage(operations);
  });
`;

async function setup() {
  const { public_key, encrypted_private_key, passphrase } = await createServiceKey();
  const pkcs8 = await openEncryptedPrivateKey(encrypted_private_key, passphrase);
  const wrapper = await sealValue(await importValuePublicKey(public_key), '{"street":"Storgatan 1","city":"Malmö"}');
  const key = await importValuePrivateKey(pkcs8, { lanes: LANES });
  const pem = createPrivateKey({ key: Buffer.from(pkcs8), format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' });
  const k = Buffer.from(JSON.parse(wrapper).k, 'base64');
  return { wrapper, key, workers: Array.from({ length: CORES }, () => new Worker(BARE_RSA, { eval: true, workerData: { pem, k } })) };
}

type State = Awaited<ReturnType<typeof setup>>;

const bareRsa: Contender<State> = async ({ state: { workers }, seconds }) => {
  const start = performance.now();
  const done = workers.map((worker) => new Promise<number>((resolve) => worker.once('message', resolve)));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  for (const worker of workers) worker.postMessage(seconds);
  const operations = (await Promise.all(done)).reduce((sum, count) => sum + count, 0);
  return { operations, seconds: (performance.now() - start) / 1000 };
};

/** What the wrapper, AES, checks and scheduling cost on top of the one operation that nobody can do without. */
export default bench({
  name: 'crypto',
  what: `values opened in one process, against bare RSA-2048 private operations on all ${CORES} cores`,
  unit: 'values/s',
  setup,
  teardown: ({ workers }) => Promise.all(workers.map((worker) => worker.terminate())),
  contenders: {
    floor: bareRsa,
    ours: repeatAsync(({ key, wrapper }) => openValue(key, wrapper), { atOnce: IN_FLIGHT }),
  },
  bar: 0.9,
});
