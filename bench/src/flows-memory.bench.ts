import { CompanyTurns } from './flows/company-turns.ts';
import { FlowsStack } from './flows/flows-stack.ts';
import { bench, type Sample } from './harness/bench.ts';

const PORT = 15_300;
const RUNS = Number(process.env['CDS_BENCH_RUNS'] ?? 10_000);
const AT_ONCE = 200;
const UNITS = ['front-door', 'region-eu', 'gateway', 'feed-consumer', 'decryptor', 'flows'] as const;
const WATCHED = ['flows', 'region-eu'] as const;

interface State {
  stack: FlowsStack;
  company: CompanyTurns;
  run?: Promise<Sample>;
}

/** So many runs, each with one turn of the company, and a look at the memory after each hundredth of them. */
async function wholeRun({ stack, company }: State): Promise<Sample> {
  const [start, looks] = [performance.now(), WATCHED.map((): number[] => [])];
  for (let made = 0; made < RUNS; made += AT_ONCE) {
    await stack.turnsOfCompany(AT_ONCE);
    await company.answeredAtLeast(made + AT_ONCE);
    for (const [nth, unit] of WATCHED.entries()) looks[nth]!.push(stack.processes.get(unit)!.takePeakMegabytes());
  }
  const figures = Object.fromEntries(WATCHED.flatMap((unit, nth) => Object.entries(growthOf(unit, looks[nth]!))));
  return { operations: RUNS, seconds: (performance.now() - start) / 1000, figures };
}

/** Peaks, as V8 lets garbage pile up and then gives a part of it back. The first tenth warms up. */
function growthOf(unit: string, looks: readonly number[]): Record<string, number> {
  const tenth = Math.ceil(looks.length / 10);
  const [first, last] = [Math.max(...looks.slice(tenth, 2 * tenth)), Math.max(...looks.slice(-tenth))];
  return { [`${unit}_first_mb`]: first, [`${unit}_last_mb`]: last, [`${unit}_growth`]: last / first };
}

/** Whether memory stays flat. There is but one long run, from the start of the processes; every round shows what it came to. */
export default bench({
  name: 'flows-memory',
  what: `most memory of flows and of a region in the last tenth of ${RUNS.toLocaleString('en')} runs, against the second`,
  unit: 'runs/s',
  rounds: 1,
  setup: async (): Promise<State> => {
    const stack = await FlowsStack.open({ port: PORT, units: UNITS, fields: 1 });
    return { stack, company: await CompanyTurns.open(stack) };
  },
  teardown: ({ stack }) => stack.close(),
  contenders: { ours: ({ state }): Promise<Sample> => (state.run ??= wholeRun(state)) },
  bar: WATCHED.map((unit) => ({ name: `memory of ${unit}, the last tenth over the second`, figure: `${unit}_growth`, atMost: 1.2 })),
});
