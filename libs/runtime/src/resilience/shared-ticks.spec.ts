import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic } from './monotonic.ts';
import { atNextTick } from './shared-ticks.ts';

/** The milliseconds until the tick that is `tenths` tenths of a second away, plus `offMs`. */
const untilTick = (tenths: number, offMs = 0, from = monotonic()): number => (Math.floor(from / 100) + tenths) * 100 - monotonic() + offMs;

/** The turns in which four pauses end: one that would end with the second tick, and three around the third. */
async function turnsOfFour(): Promise<number[]> {
  const [turns, seen] = [{ over: 0 }, [] as number[]];
  const goOn = () => {
    seen.push(turns.over);
    queueMicrotask(() => (turns.over += 1));
  };
  const from = monotonic();
  for (const offMs of [-30, 0, 30]) atNextTick(untilTick(3, offMs, from), goOn);
  atNextTick(untilTick(2, 0, from), goOn);
  const tookMs = monotonic() - from;
  while (seen.length < 4) await sleep(5);
  return tookMs < 15 ? seen : turnsOfFour(); // repeated when a busy machine took too long to set the pauses
}

describe('pauses on shared ticks', () => {
  it('end in the same turn when they end near the same tenth of a second', async () => {
    expect(await turnsOfFour()).toEqual([0, 1, 1, 1]);
  });

  it('end at most 50 ms early, and never in the turn in which they start', async () => {
    const began = monotonic();
    const ended = await new Promise<number>((resolve) => atNextTick(0, () => resolve(monotonic())));
    expect(ended - began).toBeGreaterThan(0);

    const wanted = monotonic() + 170;
    const after = await new Promise<number>((resolve) => atNextTick(170, () => resolve(monotonic())));
    expect(after - wanted).toBeGreaterThan(-52);
  });

  it('can be cancelled', async () => {
    const seen: string[] = [];
    const end = atNextTick(untilTick(2), () => seen.push('ended'));
    const both = new Promise<void>((resolve) => {
      atNextTick(untilTick(2), resolve);
    });
    end();
    await both;

    expect(seen).toEqual([]);
  });
});
