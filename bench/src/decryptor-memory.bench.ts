import { DecryptorProcess } from './decryptor-process.ts';
import { bench, type Sample } from './harness/bench.ts';

/** 200,000 take six minutes or more on two cores; CDS_BENCH_EVENTS=200000 has them all. */
const EVENTS = Number(process.env['CDS_BENCH_EVENTS'] ?? 20_000);
const BATCH = 50;
const AT_ONCE = 4;
const LOOKS = 100;

interface State {
  decryptor: DecryptorProcess;
  run?: Promise<Sample>;
}

/** Opens so many values, and looks at the memory a hundred times on the way. */
async function wholeRun(decryptor: DecryptorProcess): Promise<Sample> {
  const [start, memory] = [performance.now(), [await decryptor.memory()]];
  let begun = 0;
  const worker = async () => {
    while (begun < EVENTS) {
      begun += BATCH;
      await decryptor.open(BATCH);
      if (memory.length < (begun / EVENTS) * LOOKS) memory.push(await decryptor.memory());
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { operations: begun, seconds: (performance.now() - start) / 1000, figures: growthOf(memory) };
}

/** Peaks, as V8 lets garbage pile up for thousands of values and then gives a quarter of it all back. */
function growthOf(memory: readonly number[]) {
  const tenth = Math.ceil(memory.length / 10);
  const [first_mb, last_mb] = [Math.max(...memory.slice(0, tenth)), Math.max(...memory.slice(-tenth))];
  return { first_mb, last_mb, growth: last_mb / first_mb };
}

/** Whether memory stays flat. There is but one long run, from the start of the process; every round shows what it came to. */
export default bench({
  name: 'decryptor-memory',
  what: `most memory of the decryptor in the last tenth of ${EVENTS.toLocaleString('en')} values, against the first`,
  unit: 'values/s',
  setup: async (): Promise<State> => ({ decryptor: await DecryptorProcess.start() }),
  teardown: ({ decryptor }) => decryptor.stop(),
  contenders: { ours: ({ state }): Promise<Sample> => (state.run ??= wholeRun(state.decryptor)) },
  bar: [{ name: 'memory of the last tenth over the first', figure: 'growth', atMost: 1.2 }],
});
