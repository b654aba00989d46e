import { countExit, pauseAfter, RESTARTS } from './restarts.ts';

describe('restarts of a service that dies', () => {
  it('waits half a second, then twice as long each time up to thirty, and gives up after ten deaths in a row', () => {
    const deaths = Array.from({ length: 10 }, (_, i) => i + 1);
    expect(deaths.map((death) => pauseAfter(death))).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, undefined]);
  });

  it('begins anew after a minute of health', () => {
    expect(countExit(4, 59_999)).toBe(5);
    expect(countExit(4, RESTARTS.healthy)).toBe(1);
  });
});
