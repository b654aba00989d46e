import { DecryptorProcess } from './decryptor-process.ts';
import { bench, type Sample } from './harness/bench.ts';

/** How many values are opened. 200,000 take six minutes or more on two cores. Set CODASE_BENCH_EVENTS=200000 for all of them. */
const EVENTS = Number(process.env['CODASE_BENCH_EVENTS'] ?? 20_000);
const BATCH = 50;
const AT_ONCE = 4;
const CHECKS = 100;

interface State {
  decryptor: DecryptorProcess;
  run?: Promise<Sample>;
}

/** Opens all values, and samples the memory a hundred times meanwhile. */
async function wholeRun(decryptor: DecryptorProcess): Promise<Sample> {
  const [start, memory] = [performance.now(), [decryptor.residentMegabytes]];
  let begun = 0;
  const worker = async () => {
    while (begun < EVENTS) {
      begun += BATCH;
      await decryptor.open(BATCH);
      if (memory.length < (begun / EVENTS) * CHECKS) memory.push(decryptor.residentMegabytes);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { operations: begun, seconds: (performance.now() - start) / 1000, figures: growthOf(memory) };
}

/** Compares the peaks of the first and last tenth: V8 lets garbage pile up for thousands of values and then frees much at once. */
function growthOf(memory: readonly number[]) {
  const tenth = Math.ceil(memory.length / 10);
  const [first_mb, last_mb] = [Math.max(...memory.slice(0, tenth)), Math.max(...memory.slice(-tenth))];
  return { first_mb, last_mb, growth: last_mb / first_mb };
}

/** Checks that memory stays flat. There is only one long run, from the start of the process, and every round reports its result. */
export default bench({
  name: 'decryptor-memory',
  what: `most memory of the decryptor in the last tenth of ${EVENTS.toLocaleString('en')} values, against the first`,
  unit: 'values/s',
  setup: async (): Promise<State> => ({ decryptor: await DecryptorProcess.start() }),
  teardown: ({ decryptor }) => decryptor.stop(),
  contenders: { ours: ({ state }): Promise<Sample> => (state.run ??= wholeRun(state.decryptor)) },
  bar: [{ name: 'memory of the last tenth over the first', figure: 'growth', atMost: 1.2 }],
});
