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

/** Repeats asynchronous work, several at once. The rate is that of the time in which all were under way, when no core is idle. */
export const repeatAsync =
  <S>(work: (state: S) => Promise<unknown>, { atOnce = 1 } = {}): Contender<S> =>
  async ({ state, seconds }) => {
    const latencies: number[] = [];
    const ends: number[] = [];
    const start = performance.now();
    const worker = async () => {
      while (performance.now() - start < seconds * 1000) {
        const begun = performance.now();
        await work(state);
        ends.push(performance.now());
        latencies.push(ends.at(-1)! - begun);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
    const rate = steadyRate(ends, { from: ends[atOnce - 1]!, until: start + seconds * 1000 });
    return { operations: latencies.length, seconds: (performance.now() - start) / 1000, latencies, ...rate };
  };

/** Returns how many operations end in a second, from the end of one to the end of the last in time. Returns nothing when few did. */
export function steadyRate(ends: readonly number[], { from, until }: Record<'from' | 'until', number>): { rate?: number } {
  const counted = ends.filter((end) => end > from && end <= until);
  return counted.length > ends.length / 2 ? { rate: counted.length / ((Math.max(...counted) - from) / 1000) } : {};
}

/** Keeps the last result, so that no engine optimises the work away. */
let sink: unknown;
const keep = (value: unknown) => {
  sink = value;
  return sink;
};
