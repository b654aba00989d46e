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

describe('the capacity model', () => {
  it('plans at least two replicas of every service', () => {
    expect(needOf('gateway', 1)).toMatchObject({ replicas: 2, coresEach: 1 });
    expect(needOf('nats', 1)).toMatchObject({ replicas: 3, coresEach: 1 });
  });

  it('counts the fixed costs of an activity once, and only when the activity occurs', () => {
    const awake = { ...costs, awake_us: { ...nothing, event: everyPart(500_000) } };
    const busyOf = (events: number) => capacityFor(awake, demandOf(events)).needs.find(({ part }) => part === 'gateway')!.busy;

    expect([busyOf(0), busyOf(1000)]).toEqual([0, 0.8]);
  });

  it('leaves spare capacity on every core', () => {
    const events = 10_000;
    const { busy, replicas, coresEach } = needOf('decryptor', events);

    expect(busy).toBeCloseTo(6);
    expect(busy / (replicas * coresEach)).toBeLessThanOrEqual(BUSY);
    expect(busy / ((replicas - 1) * coresEach)).toBeGreaterThan(BUSY);
  });

  it('marks a group that would need more replicas than its sixteen partitions', () => {
    expect(needOf('handler', 30_000)).toMatchObject({ replicas: 15, isTooMuch: false });
    expect(needOf('handler', 40_000)).toMatchObject({ isTooMuch: true });
  });

  it('splits a region whose Postgres would exceed the planned size', () => {
    expect(capacityFor(costs, demandOf(60_000)).regions).toBe(1);
    const { regions, needs } = capacityFor(costs, demandOf(70_000));
    expect(regions).toBe(2);
    expect(needs.find(({ part }) => part === 'postgres of a region')).toMatchObject({ replicas: 6, coresEach: 18 });
  });

  it('counts the open streams of phones at their region', () => {
    const { needs } = capacityFor(costs, { ...demandOf(0), streams: 100_000 });

    expect(needs.find(({ part }) => part === 'region')).toMatchObject({ busy: 1, replicas: 2 });
  });

  it('sizes the disks by the retention times', () => {
    const { disks } = capacityFor(costs, demandOf(1000));

    expect(disks).toEqual({ stream: 1209.6, published: 1209.6, write_ahead_log_per_day: 259.2 });
  });

  it('lists the nearest limit first', () => {
    const events = wallsOf(costs).map((wall) => wall.events);

    expect(events).toEqual(events.toSorted((one, other) => one - other));
    expect(events[0]).toBe(2000); // one replica of the feed consumer, 300 µs for each event
  });

  it('compares its predictions with measurements, in total and for each part with a relevant load', () => {
    const errors = errorsOf(costs.check);

    expect(errors.find(({ part }) => part === 'gateway')).toMatchObject({ error: -0.75 });
    expect(errors.find(({ part }) => part === 'region')).toMatchObject({ error: -0.5 });
    expect(errors.map(({ part }) => part)).not.toContain('nats');
    expect(errors[0]!.part).toBe('all');
  });
});
