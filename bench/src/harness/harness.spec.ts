import { bench, type Sample } from './bench.ts';
import { figuresOf, measure, medians } from './measure.ts';
import { repeat, repeatAsync, steadyRate } from './repeat.ts';
import { jsonLine, report } from './report.ts';
import { median, quantile } from './statistics.ts';
import { judge } from './verdict.ts';

const PLAN = { seconds: 0.1, rounds: 3 };
const rate = (operations: number, more: Partial<Sample> = {}): Sample => ({ operations, seconds: 1, ...more });
const round = (floor: number, ours: number) => ({ floor: { rate: floor }, ours: { rate: ours } });

describe('statistics', () => {
  it.each([
    [[3, 1, 2], 0.5, 2],
    [[4, 1, 2, 3], 0.5, 2.5],
    [[10, 20], 0.99, 19.9],
    [[7], 0.99, 7],
    [[5, 1, 9], 0, 1],
    [[5, 1, 9], 1, 9],
  ])('compute for %j the quantile %s as %s', (values, share, expected) => {
    expect(quantile(values, share)).toBeCloseTo(expected, 10);
  });

  it('do not change the values', () => {
    const values = [3, 1, 2];
    median(values);

    expect(values).toEqual([3, 1, 2]);
  });

  it('refuse to compute a number from no values', () => {
    expect(() => median([])).toThrow('no values');
  });
});

describe('a bench run', () => {
  it('warms up, lets every contender begin in turn, and keeps only the results after the warm-up', async () => {
    const order: string[] = [];
    const reported = (name: string) => () => {
      order.push(name);
      return rate(order.length);
    };
    const rounds = await measure(
      bench({ name: 'x', what: '', unit: 'x/s', bar: 1, contenders: { floor: reported('floor'), ours: reported('ours') } }),
      PLAN,
    );

    expect(order.join(' ')).toBe('floor ours ours floor floor ours ours floor');
    expect(rounds.map((figures) => figures.ours!.rate)).toEqual([3, 6, 7]);
    expect(Object.keys(rounds[0]!)).toEqual(['floor', 'ours']);
  });

  it('passes the result of setup to the contenders and to teardown', async () => {
    const seen: string[] = [];
    const observe = ({ state, seconds }: { state: string; seconds: number }) => {
      seen.push(`${state} for ${seconds}`);
      return rate(1);
    };
    await measure(
      bench({
        name: 'x',
        what: '',
        unit: 'x/s',
        bar: 1,
        setup: async () => 'server',
        teardown: (state: string) => seen.push(`close ${state}`),
        contenders: { ours: observe },
      }),
      { seconds: 3, rounds: 2 },
    );

    expect(seen).toEqual(['server for 1', 'server for 1', 'server for 1', 'close server']);
  });

  it('has as many rounds as the bench specifies', async () => {
    const rounds = await measure(bench({ name: 'x', what: '', unit: 'x/s', bar: 1, rounds: 2, contenders: { ours: () => rate(1) } }), PLAN);

    expect(rounds).toHaveLength(2);
  });

  it('compares contenders within one round, independently of their order', async () => {
    let ran = 0;
    const rounds = await measure(
      bench({
        name: 'x',
        what: '',
        unit: 'x/s',
        bar: 1,
        contenders: { floor: () => rate(10 ** ran++), ours: () => rate(10 ** ran++) },
        compare: ({ floor, ours }) => ({ ours: { beside: ours.rate! - floor.rate! } }),
      }),
      { seconds: 1, rounds: 2 },
    );

    expect(rounds.map(({ ours }) => ours!.beside)).toEqual([100 - 1000, 100_000 - 10_000]);
    expect(Object.keys(rounds[0]!.floor!)).toEqual(['rate', 'cpu_us']);
  });

  it('does not warm up when the bench sets no warm-ups', async () => {
    const shares: number[] = [];
    const ours = ({ seconds }: { seconds: number }) => rate(shares.push(seconds));
    const rounds = await measure(bench({ name: 'x', what: '', unit: 'x/s', bar: 1, rounds: 2, warmUps: 0, contenders: { ours } }), {
      seconds: 6,
      rounds: 7,
    });

    expect(shares).toEqual([3, 3]);
    expect(rounds.map((figures) => figures.ours!.rate)).toEqual([1, 2]);
  });

  it('warms up for as many rounds as the bench specifies', async () => {
    const played: string[] = [];
    const plays =
      (name: string) =>
      ({ seconds }: { seconds: number }) =>
        rate(played.push(`${name} ${seconds}`));
    const contenders = { floor: plays('floor'), ours: plays('ours') };
    const rounds = await measure(bench({ name: 'x', what: '', unit: 'x/s', bar: 1, rounds: 1, warmUps: 2, contenders }), {
      seconds: 6,
      rounds: 7,
    });

    expect(played).toEqual(['floor 1', 'ours 1', 'ours 1', 'floor 1', 'floor 1', 'ours 1']);
    expect(rounds.map((figures) => figures.ours!.rate)).toEqual([6]);
  });

  it('tears down its setup when a contender fails', async () => {
    let open = true;
    const broken = bench({
      name: 'x',
      what: '',
      unit: 'x/s',
      bar: 1,
      setup: () => 'server',
      teardown: () => {
        open = false;
      },
      contenders: { ours: () => Promise.reject(new Error('refused')) },
    });

    await expect(measure(broken, PLAN)).rejects.toThrow('refused');
    expect(open).toBe(false);
  });

  it("reports rate, CPU time, latencies and the contender's own figures", () => {
    const sample = { operations: 4, latencies: [1, 2, 3, 4], figures: { bytes: 12 } };

    expect(figuresOf(sample, { seconds: 2, cpuMicroseconds: 40 })).toEqual({
      rate: 2,
      cpu_us: 10,
      p50_ms: 2.5,
      p99_ms: expect.closeTo(3.97, 10),
      bytes: 12,
    });
    expect(figuresOf({ operations: 4, seconds: 0.5 }, { seconds: 2, cpuMicroseconds: 40 })).toEqual({ rate: 8, cpu_us: 10 });
  });

  it('refuses a contender that completed no operation', () => {
    expect(() => figuresOf({ operations: 0 }, { seconds: 1, cpuMicroseconds: 1 })).toThrow('--seconds');
  });

  it('takes the median of each figure over the rounds', () => {
    expect(medians([round(1, 10), round(3, 30), round(2, 99)])).toEqual(round(2, 30));
  });
});

describe('the verdict of a bench', () => {
  it('compares the median of the ratios of the rounds with the bar', () => {
    const rounds = [round(100, 90), round(50, 50), round(100, 95)];

    expect(judge({ name: 'x', bar: 0.95 }, rounds)).toMatchObject({
      ok: true,
      bars: [{ name: 'rate of ours over floor', value: 0.95, range: [0.9, 1], bar: 0.95 }],
    });
    expect(judge({ name: 'x', bar: 0.951 }, rounds).ok).toBe(false);
  });

  it('fails when one of several bars fails', () => {
    const rounds = [{ floor: { rate: 10, bytes: 100 }, peer: { rate: 5, bytes: 90 }, ours: { rate: 9, bytes: 130 } }];
    const bar = [
      { of: 'ours', over: 'peer', atLeast: 1.5 },
      { name: 'size', figure: 'bytes', of: 'ours', over: 'floor', atMost: 1.2 },
      { figure: 'bytes', atMost: 200 },
    ];
    const verdict = judge({ name: 'x', bar }, rounds);

    expect(verdict.bars.map(({ name, value, ok }) => [name, value, ok])).toEqual([
      ['rate of ours over peer', 1.8, true],
      ['size', 1.3, false],
      ['bytes of ours', 130, true],
    ]);
    expect(verdict.ok).toBe(false);
  });

  it('uses the worst round for a bar that holds in every round', () => {
    const rounds = [0, 1, 0].map((overlaps) => ({ ours: { rate: 9, overlaps } }));
    const once = { figure: 'overlaps', atMost: 0 };

    expect(judge({ name: 'x', bar: [once] }, rounds).ok).toBe(true);
    expect(judge({ name: 'x', bar: [{ ...once, everyRound: true }] }, rounds)).toMatchObject({ ok: false, bars: [{ value: 1 }] });
    expect(judge({ name: 'x', bar: [{ atLeast: 10, everyRound: true }] }, [round(1, 12), round(1, 9)]).bars[0]!.value).toBe(9);
  });

  it('refuses a bar on a figure that was not measured', () => {
    expect(() => judge({ name: 'x', bar: [{ figure: 'p99_ms', atMost: 1 }] }, [round(1, 1)])).toThrow('p99_ms of ours');
  });

  it('is printed as text for people and as JSON for programs', () => {
    const verdict = judge({ name: 'x', bar: 0.9 }, [round(123_456, 100_000)]);

    expect(report({ what: 'this against that', unit: 'x/s' }, verdict)).toBe(
      [
        'x: this against that',
        '',
        '           x/s',
        'floor  123,456',
        'ours   100,000',
        '',
        '✗ rate of ours over floor: 0.81 (rounds 0.81 to 0.81), the bar is at least 0.9',
      ].join('\n'),
    );
    expect(JSON.parse(jsonLine(verdict))).toMatchObject({
      bench: 'x',
      figures: round(123_456, 100_000),
      floor: 123_456,
      ratio: 100_000 / 123_456,
      bar: 0.9,
      ok: false,
    });
  });
});

describe('repeating work in a bench', () => {
  it('lasts about the given time, and counts the calls', async () => {
    let calls = 0;
    const sample = await repeat(() => {
      calls += 1;
    })({ state: undefined, seconds: 0.02 });

    expect(sample.operations).toBe(calls);
    expect(sample.seconds).toBeGreaterThanOrEqual(0.02);
  });

  it('measures the latency of each asynchronous call, some of them concurrent', async () => {
    let [inFlight, most] = [0, 0];
    const sample = await repeatAsync(
      async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await new Promise((resolve) => {
          setTimeout(resolve, 5);
        });
        inFlight -= 1;
      },
      { atOnce: 3 },
    )({ state: undefined, seconds: 0.05 });

    expect(most).toBe(3);
    expect(sample.latencies).toHaveLength(sample.operations);
    expect(Math.min(...sample.latencies!)).toBeGreaterThan(3);
  });

  it('computes the rate only from the time in which all calls are in progress', () => {
    const ends = [400, 500, 600, 700, 800, 900, 1300];

    expect(steadyRate(ends, { from: 400, until: 1000 })).toEqual({ rate: 10 });
    expect(steadyRate(ends, { from: 800, until: 1000 })).toEqual({});
    expect(steadyRate([], { from: 400, until: 1000 })).toEqual({});
  });
});
