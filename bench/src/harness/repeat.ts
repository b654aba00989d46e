import type { Contender } from './bench.ts';

const BATCH = 64;

/** Does a synchronous piece of work again and again; the clock is read once a batch, so that it does not weigh. */
export const repeat =
  <S>(work: (state: S) => unknown): Contender<S> =>
  ({ state, seconds }) => {
    const start = performance.now();
    let operations = 0;
    let kept: unknown;
    while (performance.now() - start < seconds * 1000) {
      for (let i = 0; i < BATCH; i += 1) kept = work(state);
      operations += BATCH;
    }
    keep(kept);
    return { operations, seconds: (performance.now() - start) / 1000 };
  };

/** Does an asynchronous piece of work again and again, some of it at once, and takes the time of each. */
export const repeatAsync =
  <S>(work: (state: S) => Promise<unknown>, { atOnce = 1 } = {}): Contender<S> =>
  async ({ state, seconds }) => {
    const latencies: number[] = [];
    const start = performance.now();
    const worker = async () => {
      while (performance.now() - start < seconds * 1000) {
        const begun = performance.now();
        await work(state);
        latencies.push(performance.now() - begun);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    return { operations: latencies.length, seconds: (performance.now() - start) / 1000, latencies };
  };

/** Where results go, so that no engine finds the work without effect and leaves it out. */
let sink: unknown;
const keep = (value: unknown) => {
  sink = value;
  return sink;
};
