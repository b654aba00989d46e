import type { Contender } from './bench.ts';

const BATCH = 64;

/** Repeats a synchronous piece of work. The clock is read once per batch, so that reading it costs little. */
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

/** Repeats an asynchronous piece of work, several at once, and measures the time of each. */
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

/** Keeps the last result, so that no engine optimises the work away. */
let sink: unknown;
const keep = (value: unknown) => {
  sink = value;
  return sink;
};
