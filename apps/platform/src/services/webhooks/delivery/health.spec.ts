import { nextProbe } from './health.ts';

const NOW = new Date('2026-03-10T12:00:00Z');

describe('webhook health @spec D1-3.2', () => {
  it('is probed again after ten minutes @spec D1-8', () => {
    expect(nextProbe(NOW)).toEqual(new Date('2026-03-10T12:10:00Z'));
  });
});
