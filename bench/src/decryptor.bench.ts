import { availableParallelism } from 'node:os';
import { DecryptorProcess } from './decryptor-process.ts';
import { BareRsa } from './harness/bare-rsa.ts';
import { bench, type Contender } from './harness/bench.ts';
import { repeatAsync } from './harness/repeat.ts';

const BATCH = 25;
const BATCHES_AT_ONCE = 4;
const CALLERS = 100;

async function setup() {
  const decryptor = await DecryptorProcess.start();
  return { decryptor, bareRsa: new BareRsa(decryptor.pkcs8, decryptor.sealed[0]!) };
}
type State = Awaited<ReturnType<typeof setup>>;

/** Adds the CPU of each part for one value, and the sum without the RSA operation, which differs between machines only by its speed. */
const withCpu =
  (work: Contender<State>, values = 1): Contender<State> =>
  async (turn) => {
    const { decryptor, bareRsa } = turn.state;
    const before = decryptor.cpu;
    const sample = await work(turn);
    const operations = sample.operations * values;
    const { client, nats, ...after } = decryptor.cpu;
    const [client_us, nats_us] = [(client - before.client) / operations, (nats - before.nats) / operations];
    const decryptor_us = (after.decryptor - before.decryptor) / operations;
    const all_us = client_us + nats_us + decryptor_us;
    const figures = { all_us, client_us, nats_us, decryptor_us, beside_rsa_us: all_us - bareRsa.microseconds };
    return { ...sample, operations, ...(sample.rate && { rate: sample.rate * values }), figures };
  };

/** Measures the way to the decryptor and back on the same cores: the request, NATS, the checks of caller and message, the answer. */
export default bench({
  name: 'decryptor',
  what:
    `values opened over NATS, in batches of ${BATCH} and one by one for ${CALLERS} who ask at once, ` +
    `against bare RSA-2048 private operations on all ${availableParallelism()} cores`,
  unit: 'values/s',
  seconds: 144,
  rounds: 110,
  warmUps: 10,
  setup,
  teardown: async ({ decryptor, bareRsa }) => {
    await bareRsa.stop();
    await decryptor.stop();
  },
  contenders: {
    floor: ({ state, seconds }) => state.bareRsa.run(seconds),
    ours: withCpu(
      repeatAsync(({ decryptor }) => decryptor.open(BATCH), { atOnce: BATCHES_AT_ONCE }),
      BATCH,
    ),
    'one by one': withCpu(repeatAsync(({ decryptor }) => decryptor.openOne(), { atOnce: CALLERS })),
  },
  bar: [
    { name: 'batches over the floor', over: 'floor', atLeast: 0.9 },
    { name: 'one by one over the floor', of: 'one by one', over: 'floor', atLeast: 0.9 },
  ],
});
