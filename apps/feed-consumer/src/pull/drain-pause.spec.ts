import { Refusal } from '@codase/contracts';
import { drainedNothing, leftOf, nextPause, NO_PAUSE, type DrainTurn } from './drain-pause.ts';

const after = (...turns: DrainTurn[]): number[] => {
  let pause = NO_PAUSE;
  return turns.map((turn) => (pause = nextPause(pause, turn, 5000, () => 0.3)).pauseMs);
};
const failure = (error: unknown = new Error('gone')): DrainTurn => ({ error });

describe('pause between drains', () => {
  it('is short while events come', () => {
    expect(after('more', 'more', 'some', 'some')).toEqual([0, 0, 100, 100]);
  });

  it('is counted from the start of a turn, but after a failure from its end', () => {
    const [quiet, problem] = [nextPause(NO_PAUSE, 'some', 5000), nextPause(NO_PAUSE, failure(), 5000)];

    expect([leftOf(quiet, 30), leftOf(quiet, 300), leftOf(problem, 30)]).toEqual([70, 0, 500]);
  });

  it('grows up to the maximum while no events come, and is short again after the first event', () => {
    const idle = Array.from({ length: 8 }, (): DrainTurn => 'none');

    expect(after(...idle, 'some')).toEqual([100, 200, 400, 800, 1600, 3200, 1500, 5000, 100]);
  });

  it('is randomized once at its maximum, so that services started together are not drained in step', () => {
    const [before, spread] = [{ ...NO_PAUSE, inARow: 6 }, (part: number) => nextPause(before, 'none', 5000, () => part)];

    expect([0, 0.5, 0.999].map((part) => spread(part).pauseMs)).toEqual([0, 2500, 4995]);
    expect(nextPause(spread(0.1), 'none', 5000, () => 0.1).pauseMs).toBe(5000);
  });

  it('is never shorter than the pause while events come, even when the maximum equals it', () => {
    expect(nextPause(NO_PAUSE, 'some', 100, () => 0.1).pauseMs).toBe(100);
  });

  it('stays short for half a second after the last event, because the next one is often near', () => {
    const idle = Array.from({ length: 7 }, (): DrainTurn => 'none');

    expect(after('some', ...idle)).toEqual([100, 100, 100, 100, 100, 100, 200, 400]);
    expect(after('more', 'none', failure(), 'none', 'none')).toEqual([0, 100, 500, 100, 200]);
  });

  it('backs off after failures, up to one minute', () => {
    const pauses = after(...Array.from({ length: 10 }, () => failure()));

    expect(pauses.slice(0, 3)).toEqual([500, 1000, 2000]);
    expect(pauses.at(-1)).toBe(60_000);
  });

  it('restarts at its shortest when failures follow idle drains, and when idle drains follow failures', () => {
    const idle = Array.from({ length: 8 }, (): DrainTurn => 'none');

    expect(after(...idle, failure(), failure()).slice(-2)).toEqual([500, 1000]);
    expect(after(failure(), failure(), failure(), 'none', 'none').slice(-2)).toEqual([100, 200]);
  });

  it("is as long as the platform's Retry-After @spec D1-7", () => {
    expect(after(failure(new Refusal('db.writes_paused')))).toEqual([30_000]);
    expect(after(failure(new Refusal('platform.out_of_order')))).toEqual([300_000]);
  });

  it('is short after a failure of a restarting gateway', () => {
    expect(after('some', failure(new Refusal('service.unavailable')))).toEqual([100, 500]);
  });
});

describe('failed drain', () => {
  it('is known to have drained no events when the platform refused it @spec D1-4.3', () => {
    expect(drainedNothing(new Refusal('db.writes_paused'))).toBe(true);
    expect(drainedNothing(new Refusal('rate_limit.exceeded'))).toBe(true);
  });

  it('may have drained events when there was no answer or the answer was lost', () => {
    expect(drainedNothing(new Refusal('service.unavailable'))).toBe(false);
    expect(drainedNothing(new Refusal('request.too_large'))).toBe(false);
    expect(drainedNothing(new Error('socket hang up'))).toBe(false);
  });
});
