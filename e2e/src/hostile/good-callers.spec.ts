import { Latencies } from './good-callers.ts';

describe('recorded latencies', () => {
  it.each([
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ])('return the quantile %d', (share, ms) => {
    const latencies = new Latencies();
    for (let n = 100; n >= 1; n--) latencies.add('read', n);

    expect(latencies.quantile(share)).toBe(ms);
  });

  it('return a quantile for each name', () => {
    const latencies = new Latencies();
    for (let n = 1; n <= 10; n++) latencies.add(n <= 5 ? 'read' : 'write', n);

    expect(latencies.names.map((name) => [name, latencies.quantile(1, name)])).toEqual([
      ['read', 5],
      ['write', 10],
    ]);
  });

  it('return zero when nothing was recorded', () => {
    expect(new Latencies().quantile(0.99)).toBe(0);
  });
});
