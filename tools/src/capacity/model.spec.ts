import { ACTIVITIES, PARTS, type Activity, type Costs, type CpuOfParts, type Part } from '@codase/bench/capacity';
import { BUSY, capacityFor, errorsOf, wallsOf } from './model.ts';
import { demandOf } from './page.ts';

const everyPart = (us: number, given: Partial<Record<Part, number>> = {}): CpuOfParts => ({
  ...(Object.fromEntries(PARTS.map((part) => [part, us])) as CpuOfParts),
  ...given,
});

const nothing = Object.fromEntries(ACTIVITIES.map((activity) => [activity, everyPart(0)])) as Record<Activity, CpuOfParts>;

/** Costs of a test: an event takes 300 µs of each part, and 600 µs of the decryptor. Nothing else costs anything. */
const costs: Costs = {
  machine: { cpu: 'test', cores: 2, node: '20' },
  measured: '2026-01-01',
  rsa_us: 1000,
  rest_us: everyPart(0),
  memory_mb: { region: 100 },
  awake_us: nothing,
  each_us: {
    ...nothing,
    event: everyPart(300, { decryptor: 600 }),
  },
  event_bytes: { write_ahead_log: 3000, published: 2000, stream: 1000 },
  stream: { us_per_second: 10 },
  check: {
    per_second: { edit: 1, event: 1, webhook: 1, token: 1, open: 1 },
    predicted_us: everyPart(100),
    measured_us: everyPart(100, { gateway: 400, region: 200, nats: 1 }),
  },
};
const needOf = (part: Part, events: number) => capacityFor(costs, demandOf(events)).needs.find((need) => need.part === part)!;

describe('the model of capacity', () => {
  it('gives every service two replicas, however little there is to do', () => {
    expect(needOf('gateway', 1)).toMatchObject({ replicas: 2, coresEach: 1 });
    expect(needOf('nats', 1)).toMatchObject({ replicas: 3, coresEach: 1 });
  });

  it('counts what goes on while there is anything once, and not where there is nothing', () => {
    const awake = { ...costs, awake_us: { ...nothing, event: everyPart(500_000) } };
    const busyOf = (events: number) => capacityFor(awake, demandOf(events)).needs.find(({ part }) => part === 'gateway')!.busy;

    expect([busyOf(0), busyOf(1000)]).toEqual([0, 0.8]);
  });

  it('leaves room on every core', () => {
    const events = 10_000;
    const { busy, replicas, coresEach } = needOf('decryptor', events);

    expect(busy).toBeCloseTo(6);
    expect(busy / (replicas * coresEach)).toBeLessThanOrEqual(BUSY);
    expect(busy / ((replicas - 1) * coresEach)).toBeGreaterThan(BUSY);
  });

  it('says where more replicas do not help: a group has sixteen partitions', () => {
    expect(needOf('handler', 30_000)).toMatchObject({ replicas: 15, isTooMuch: false });
    expect(needOf('handler', 40_000)).toMatchObject({ isTooMuch: true });
  });

  it('divides a region whose Postgres would be larger than planned', () => {
    expect(capacityFor(costs, demandOf(60_000)).regions).toBe(1);
    const { regions, needs } = capacityFor(costs, demandOf(70_000));
    expect(regions).toBe(2);
    expect(needs.find(({ part }) => part === 'postgres of a region')).toMatchObject({ replicas: 6, coresEach: 18 });
  });

  it('counts phones that hold a stream at their region', () => {
    const { needs } = capacityFor(costs, { ...demandOf(0), streams: 100_000 });

    expect(needs.find(({ part }) => part === 'region')).toMatchObject({ busy: 1, replicas: 2 });
  });

  it('fills the disks for as long as things are kept', () => {
    const { disks } = capacityFor(costs, demandOf(1000));

    expect(disks).toEqual({ stream: 1209.6, published: 1209.6, write_ahead_log_per_day: 259.2 });
  });

  it('names the nearest wall first', () => {
    const events = wallsOf(costs).map((wall) => wall.events);

    expect(events).toEqual(events.toSorted((one, other) => one - other));
    expect(events[0]).toBe(2000); // one replica of the feed consumer, 300 µs for each event
  });

  it('compares itself with what was measured, for all together and for the parts that matter', () => {
    const errors = errorsOf(costs.check);

    expect(errors.find(({ part }) => part === 'gateway')).toMatchObject({ error: -0.75 });
    expect(errors.find(({ part }) => part === 'region')).toMatchObject({ error: -0.5 });
    expect(errors.map(({ part }) => part)).not.toContain('nats');
    expect(errors[0]!.part).toBe('all');
  });
});
