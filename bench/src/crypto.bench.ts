import { availableParallelism } from 'node:os';
import { createServiceKey, importValuePublicKey, sealValue } from '@codase/crypto';
import { openEncryptedPrivateKey } from '@codase/crypto/open';
import { valueThreadKey } from '@codase/crypto/threads';
import { OpeningThreads } from '@codase/decryptor';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const CORES = availableParallelism();
const IN_FLIGHT = 16 * CORES;

async function setup() {
  const { public_key, encrypted_private_key, passphrase } = await createServiceKey();
  const pkcs8 = await openEncryptedPrivateKey(encrypted_private_key, passphrase);
  const wrapper = await sealValue(await importValuePublicKey(public_key), '{"street":"Storgatan 1","city":"Malmö"}');
  const threads = new OpeningThreads(CORES);
  return {
    sealed: [{ kind: 'value' as const, text: wrapper }],
    threads,
    key: threads.add(await valueThreadKey(pkcs8)),
    bareRsa: new BareRsa(pkcs8, wrapper),
  };
}
type State = Awaited<ReturnType<typeof setup>>;

const opened = repeatAsync<State>(({ threads, key, sealed }) => threads.open(key, sealed), { atOnce: IN_FLIGHT });

const ours: Contender<State> = async (turn) => {
  const before = process.cpuUsage();
  const sample = await opened(turn);
  const { user, system } = process.cpuUsage(before);
  const all_us = (user + system) / sample.operations;
  return { ...sample, figures: { all_us, beside_rsa_us: all_us - turn.state.bareRsa.microseconds } };
};

/** Measures what the wrapper, AES, checks and scheduling cost on top of the RSA operation, which is unavoidable. */
export default bench({
  name: 'crypto',
  what: `values opened one by one in the threads of one process, against bare RSA-2048 private operations on all ${CORES} cores`,
  unit: 'values/s',
  seconds: 96,
  rounds: 150,
  warmUps: 10,
  setup,
  teardown: async ({ bareRsa, threads }) => {
    await bareRsa.stop();
    await threads.close();
  },
  contenders: { floor: ({ state, seconds }) => state.bareRsa.run(seconds), ours },
  bar: 0.95,
});
