import { availableParallelism } from 'node:os';
import { DecryptorProcess } from './decryptor-process.ts';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const BATCH = 25;
const BATCHES_AT_ONCE = 4;

async function setup() {
  const decryptor = await DecryptorProcess.start();
  return { decryptor, bareRsa: new BareRsa(decryptor.pkcs8, decryptor.sealed[0]!) };
}
type State = Awaited<ReturnType<typeof setup>>;

const batches = repeatAsync<State>(({ decryptor }) => decryptor.open(BATCH), { atOnce: BATCHES_AT_ONCE });
const ours: Contender<State> = async (turn) => {
  const sample = await batches(turn);
  return { ...sample, operations: sample.operations * BATCH };
};

/** What the way there and back costs: asking, NATS, checks of the caller and the message, the answer; all on the same cores. */
export default bench({
  name: 'decryptor',
  what: `values opened over NATS, in batches of ${BATCH}, against bare RSA-2048 private operations on all ${availableParallelism()} cores`,
  unit: 'values/s',
  setup,
  teardown: async ({ decryptor, bareRsa }) => {
    await bareRsa.stop();
    await decryptor.stop();
  },
  contenders: { floor: ({ state, seconds }) => state.bareRsa.run(seconds), ours },
  bar: 0.85,
});
