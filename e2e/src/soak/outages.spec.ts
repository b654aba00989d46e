import { Outages } from './outages.ts';

describe('recorded outages', () => {
  it('report how long the server was away since a given time, even during an outage', async () => {
    let now = 0;
    const outages = new Outages(() => now);
    const lasts = (from: number, to: number) =>
      outages.note(async () => {
        now = to;
        return { from };
      });
    now = 100;
    expect(await lasts(100, 300)).toEqual({ from: 100, tookMs: 200 });
    now = 1000;
    await outages.note(async () => {
      now = 1050;
      expect([outages.since(0), outages.since(200), outages.since(1020)]).toEqual([250, 150, 30]);
      return {};
    });

    now = 5000;
    expect([outages.since(0), outages.since(1050), outages.longestMs]).toEqual([250, 0, 200]);
  });
});
