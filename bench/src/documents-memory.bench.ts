import { setTimeout as pause } from 'node:timers/promises';
import { DocumentsStack } from './documents/documents-stack.ts';
import { bench, type Sample } from './harness/bench.ts';

const PORT = 14_700;
const MB = 1024 * 1024;
const FILE = 25 * MB;
/** The size of the sealed file: the base64 of its envelope is encrypted. */
const SEALED = Math.ceil((FILE * 4) / 3) + 100;
const AT_ONCE = 10;
const SMALL = 3000;
const MAX_MB = 64;

interface State {
  stack: DocumentsStack;
  run?: Promise<Sample>;
}

const times = <T>(count: number, work: (nth: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, nth) => work(nth)));

/** Sends one small document each way, so that code is loaded and pools are open, and then waits a moment. */
async function comesToRest(stack: DocumentsStack): Promise<void> {
  for (const recipient of ['ana', 'ben'] as const) await stack.fetchReceived(recipient, await stack.issue(recipient, SMALL));
  await stack.fetchOwn(await stack.broadcast(SMALL));
  await pause(2000);
}

/** Does everything once, ten at a time. A figure is the peak of memory above rest, of the region that grew most. */
async function wholeRun(stack: DocumentsStack): Promise<Sample> {
  await comesToRest(stack);
  const regions = Object.values(stack.regions);
  const rest = regions.map((region) => region.residentMegabytes);
  const start = performance.now();
  const figures: Record<string, number> = { rest_mb: rest[0]! };
  const grows = async <T>(name: string, work: (nth: number) => Promise<T>): Promise<T[]> => {
    for (const region of regions) region.takePeakMegabytes();
    const results = await times(AT_ONCE, work);
    figures[name] = Math.max(...regions.map((region, nth) => region.takePeakMegabytes() - rest[nth]!));
    return results;
  };
  const anas = await grows('in_mb', () => stack.issue('ana', SEALED));
  await grows('out_at_home_mb', (nth) => stack.fetchReceived('ana', anas[nth]!));
  const broadcasts = await grows('in_clear_mb', () => stack.broadcast(FILE));
  await grows('out_clear_mb', (nth) => stack.fetchOwn(broadcasts[nth]!));
  const bens = await times(AT_ONCE, () => stack.issue('ben', SEALED));
  await grows('out_elsewhere_mb', (nth) => stack.fetchReceived('ben', bens[nth]!));
  return { operations: 6 * AT_ONCE, seconds: (performance.now() - start) / 1000, figures };
}

const FIGURES = {
  in_mb: 'sealed, from the company',
  out_at_home_mb: 'sealed, to a recipient at home',
  in_clear_mb: 'in the clear, from the company',
  out_clear_mb: 'in the clear, to the company',
  out_elsewhere_mb: 'sealed, to a recipient in another region',
};

/** Checks that memory stays small. There is only one long run, from the start of the processes, and every round reports its result. */
export default bench({
  name: 'documents-memory',
  what: `growth of a region's resident memory over rest, in MB, with ${AT_ONCE} documents of 25 MB at once`,
  unit: 'documents/s',
  rounds: 1,
  setup: async (): Promise<State> => ({ stack: await DocumentsStack.open(PORT) }),
  teardown: ({ stack }) => stack.close(),
  contenders: { ours: ({ state }): Promise<Sample> => (state.run ??= wholeRun(state.stack)) },
  bar: Object.entries(FIGURES).map(([figure, name]) => ({ name, figure, atMost: MAX_MB })),
});
