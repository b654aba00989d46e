import { Refusal } from '@codase/contracts';
import { drainedNothing, leftOf, nextPause, NO_PAUSE, type DrainTurn } from './drain-pause.ts';

const after = (...turns: DrainTurn[]): number[] => {
  let pause = NO_PAUSE;
  return turns.map((turn) => (pause = nextPause(pause, turn, 5000, () => 0.3)).pauseMs);
};
const failure = (error: unknown = new Error('gone')): DrainTurn => ({ error });

describe('the pace of drains', () => {
  it('is quick while events come', () => {
    expect(after('more', 'more', 'some', 'some')).toEqual([0, 0, 100, 100]);
  });

  it('counts from the begin of a turn to that of the next, but for trouble', () => {
    const [quiet, trouble] = [nextPause(NO_PAUSE, 'some', 5000), nextPause(NO_PAUSE, failure(), 5000)];

    expect([leftOf(quiet, 30), leftOf(quiet, 300), leftOf(trouble, 30)]).toEqual([70, 0, 500]);
  });

  it('slows down while none come, up to the longest pause, and is quick again with the first', () => {
    const idle = Array.from({ length: 8 }, (): DrainTurn => 'none');

    expect(after(...idle, 'some')).toEqual([100, 200, 400, 800, 1600, 3200, 1500, 5000, 100]);
  });

  it('is spread at random over the longest pause once, so that services that began together are not drained together for ever', () => {
    const [before, spread] = [{ ...NO_PAUSE, inARow: 6 }, (part: number) => nextPause(before, 'none', 5000, () => part)];

    expect([0, 0.5, 0.999].map((part) => spread(part).pauseMs)).toEqual([0, 2500, 4995]);
    expect(nextPause(spread(0.1), 'none', 5000, () => 0.1).pauseMs).toBe(5000);
  });

  it('is never quicker than while events come, where the longest pause is that of events', () => {
    expect(nextPause(NO_PAUSE, 'some', 100, () => 0.1).pauseMs).toBe(100);
  });

  it('stays quick for half a second after the last event, as the next one is often near', () => {
    const idle = Array.from({ length: 7 }, (): DrainTurn => 'none');

    expect(after('some', ...idle)).toEqual([100, 100, 100, 100, 100, 100, 200, 400]);
    expect(after('more', 'none', failure(), 'none', 'none')).toEqual([0, 100, 500, 100, 200]);
  });

  it('backs off from trouble, to a minute and no longer', () => {
    const pauses = after(...Array.from({ length: 10 }, () => failure()));

    expect(pauses.slice(0, 3)).toEqual([500, 1000, 2000]);
    expect(pauses.at(-1)).toBe(60_000);
  });

  it('counts trouble from its first time, however long the feed was idle, and idleness from the end of trouble', () => {
    const idle = Array.from({ length: 8 }, (): DrainTurn => 'none');

    expect(after(...idle, failure(), failure()).slice(-2)).toEqual([500, 1000]);
    expect(after(failure(), failure(), failure(), 'none', 'none').slice(-2)).toEqual([100, 200]);
  });

  it('waits as long as the platform asks for @spec D1-7', () => {
    expect(after(failure(new Refusal('db.writes_paused')))).toEqual([30_000]);
    expect(after(failure(new Refusal('platform.out_of_order')))).toEqual([300_000]);
  });

  it('does not wait long for a gateway that starts again', () => {
    expect(after('some', failure(new Refusal('service.unavailable')))).toEqual([100, 500]);
  });
});

describe('a drain that failed', () => {
  it('took nothing when the platform refused it @spec D1-4.3', () => {
    expect(drainedNothing(new Refusal('db.writes_paused'))).toBe(true);
    expect(drainedNothing(new Refusal('rate_limit.exceeded'))).toBe(true);
  });

  it('is in doubt when nobody answered, or the answer got lost', () => {
    expect(drainedNothing(new Refusal('service.unavailable'))).toBe(false);
    expect(drainedNothing(new Refusal('request.too_large'))).toBe(false);
    expect(drainedNothing(new Error('socket hang up'))).toBe(false);
  });
});
