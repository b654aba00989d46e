import { countExit, pauseAfter, RESTARTS } from './restarts.ts';

describe('the restart policy of a service', () => {
  it('doubles the pause from half a second up to thirty seconds, and gives up after ten exits in a row', () => {
    const deaths = Array.from({ length: 10 }, (_, i) => i + 1);
    expect(deaths.map((death) => pauseAfter(death))).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, undefined]);
  });

  it('resets the count of exits after one minute of health', () => {
    expect(countExit(4, 59_999)).toBe(5);
    expect(countExit(4, RESTARTS.healthy)).toBe(1);
  });
});
