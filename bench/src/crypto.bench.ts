import { availableParallelism } from 'node:os';
import { createServiceKey, importValuePublicKey, sealValue } from '@cds/crypto';
import { importValuePrivateKey, openEncryptedPrivateKey, openValue } from '@cds/crypto/open';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const CORES = availableParallelism();
// Two operations per core keep it busy while the event loop hands out the next one; the libuv pool must have as many threads.
const CONCURRENCY = 2 * CORES;
const IN_FLIGHT = 4 * CONCURRENCY;

async function setup() {
  const { public_key, encrypted_private_key, passphrase } = await createServiceKey();
  const pkcs8 = await openEncryptedPrivateKey(encrypted_private_key, passphrase);
  const wrapper = await sealValue(await importValuePublicKey(public_key), '{"street":"Storgatan 1","city":"Malmö"}');
  const key = await importValuePrivateKey(pkcs8, { concurrency: CONCURRENCY });
  return { wrapper, key, bareRsa: new BareRsa(pkcs8, wrapper) };
}

/** What the wrapper, AES, checks and scheduling cost on top of the one operation that nobody can do without. */
export default bench({
  name: 'crypto',
  what: `values opened in one process, against bare RSA-2048 private operations on all ${CORES} cores`,
  unit: 'values/s',
  setup,
  teardown: ({ bareRsa }) => bareRsa.stop(),
  contenders: {
    floor: ({ state, seconds }) => state.bareRsa.run(seconds),
    ours: repeatAsync(({ key, wrapper }) => openValue(key, wrapper), { atOnce: IN_FLIGHT }),
  },
  bar: 0.9,
});
