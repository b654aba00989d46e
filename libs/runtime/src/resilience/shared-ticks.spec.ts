import { setTimeout as sleep } from 'node:timers/promises';
import { monotonic } from './monotonic.ts';
import { atNextTick } from './shared-ticks.ts';

/** So many milliseconds until a moment that is a whole number of tenths of a second away from now, and some more or less. */
const untilTick = (tenths: number, offMs: number): number => (Math.floor(monotonic() / 100) + tenths) * 100 - monotonic() + offMs;

describe('pauses that end together', () => {
  it('are those that would end near the same tenth of a second: they go on in one turn', async () => {
    const [turns, seen] = [{ over: 0 }, [] as number[]];
    const goOn = () => {
      seen.push(turns.over);
      queueMicrotask(() => (turns.over += 1));
    };
    for (const offMs of [-30, 0, 30]) atNextTick(untilTick(3, offMs), goOn);
    atNextTick(untilTick(2, 0), goOn);

    while (seen.length < 4) await sleep(5);

    expect(seen).toEqual([0, 1, 1, 1]);
  });

  it('end 50 ms too soon or too late at most, and not in the turn in which they begin', async () => {
    const began = monotonic();
    const ended = await new Promise<number>((resolve) => atNextTick(0, () => resolve(monotonic())));
    expect(ended - began).toBeGreaterThan(0);

    const wanted = monotonic() + 170;
    const after = await new Promise<number>((resolve) => atNextTick(170, () => resolve(monotonic())));
    expect(after - wanted).toBeGreaterThan(-52);
  });

  it('are ended before', async () => {
    const seen: string[] = [];
    const end = atNextTick(untilTick(2, 0), () => seen.push('ended'));
    const both = new Promise<void>((resolve) => {
      atNextTick(untilTick(2, 0), resolve);
    });
    end();
    await both;

    expect(seen).toEqual([]);
  });
});
