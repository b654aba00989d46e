import { CompanyTurns } from './flows/company-turns.ts';
import { FlowsStack } from './flows/flows-stack.ts';
import { bench, type Sample } from './harness/bench.ts';

const PORT = 15_300;
/** The number of runs, which CODASE_BENCH_RUNS can change. 10,000 take about ten minutes on two quiet cores. */
const RUNS = Number(process.env['CODASE_BENCH_RUNS'] ?? 10_000);
/** The number of runs after which a process is warm: all of its code has run, and its caches are full. */
const WARM = RUNS / 10;
const AT_ONCE = Math.min(200, WARM);
const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor', 'flows'] as const;
const WATCHED = ['flows', 'region-eu', 'gateway'] as const;

interface State {
  stack: FlowsStack;
  company: CompanyTurns;
  run?: Promise<Sample>;
}

/** Plays all runs, each with one turn of the company. Memory is measured when the processes are warm, and at the end. */
async function wholeRun(state: State): Promise<Sample> {
  const start = performance.now();
  await play(state, 0, WARM);
  const warm = await memoryOf(state);
  await play(state, WARM, RUNS);
  const last = await memoryOf(state);
  const figures = Object.fromEntries(WATCHED.flatMap((unit, nth) => Object.entries(growthOf(unit, warm[nth]!, last[nth]!))));
  return { operations: RUNS, seconds: (performance.now() - start) / 1000, figures };
}

async function play({ stack, company }: State, from: number, to: number): Promise<void> {
  for (let made = from; made < to; made += AT_ONCE) {
    await stack.turnsOfCompany(AT_ONCE);
    await company.answeredAtLeast(made + AT_ONCE);
  }
}

const memoryOf = ({ stack: { processes } }: State) =>
  Promise.all(
    WATCHED.map(async (unit) => {
      const server = processes.get(unit)!;
      const peak = server.takePeakMegabytes();
      return { ...(await server.usedMemory()), peak };
    }),
  );
type Memory = Awaited<ReturnType<typeof memoryOf>>[number];

/** Compares the memory at the end with that of the warm process. The peak is shown only: it is garbage, which V8 lets pile up. */
const growthOf = (unit: string, warm: Memory, last: Memory): Record<string, number> => ({
  [`${unit}_warm_mb`]: warm.used,
  [`${unit}_end_mb`]: last.used,
  [`${unit}_peak_mb`]: last.peak,
  [`${unit}_growth`]: last.used / warm.used,
  [`${unit}_resident`]: last.resident / warm.resident,
});

/** Checks that memory stays flat. There is only one long run, from the start of the processes, and every round reports its result. */
export default bench({
  name: 'flows-memory',
  what: `memory of flows, a region and the gateway without garbage after ${RUNS.toLocaleString('en')} runs, against a tenth of them`,
  unit: 'runs/s',
  rounds: 1,
  setup: async (): Promise<State> => {
    const stack = await FlowsStack.open({ port: PORT, units: UNITS, fields: 1, memoryOf: WATCHED });
    return { stack, company: await CompanyTurns.open(stack) };
  },
  teardown: ({ stack }) => stack.close(),
  contenders: { ours: ({ state }): Promise<Sample> => (state.run ??= wholeRun(state)) },
  bar: WATCHED.flatMap((unit) => [
    { name: `what ${unit} uses at the end over when it was warm`, figure: `${unit}_growth`, atMost: 1.1 },
    { name: `memory of ${unit} then, all of it`, figure: `${unit}_resident`, atMost: 1.2 },
  ]),
});
