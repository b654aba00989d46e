import { z } from 'zod';

/** The parts that use CPU: processes, and the databases of the one Postgres that is measured. */
export const PARTS = [
  'front-door',
  'region',
  'delivery',
  'gateway',
  'feed-consumer',
  'decryptor',
  'handler',
  'nats',
  'postgres of the front door',
  'postgres of a region',
  'postgres of the feed consumer',
  'postgres of the handler',
] as const;
export type Part = (typeof PARTS)[number];

/** The activities of people, companies and services that cost something each time. */
export const ACTIVITIES = ['edit', 'event', 'webhook', 'token', 'open'] as const;
export type Activity = (typeof ACTIVITIES)[number];

const Cpu = z.record(z.enum(PARTS), z.number().nonnegative());

/** The costs that `npm run capacity -- --measure` measured on a machine. */
export const Costs = z.strictObject({
  machine: z.strictObject({ cpu: z.string(), cores: z.int(), node: z.string() }),
  measured: z.iso.date(),
  /** The time of a bare RSA-2048 private operation on that machine, to compare machines by. */
  rsa_us: z.number(),
  /** Microseconds of CPU per second without any activity. */
  rest_us: Cpu,
  memory_mb: z.partialRecord(z.enum(PARTS), z.number()),
  /** Microseconds of CPU per second that an activity costs at any rate, however low: rounds that go on while there is any of it. */
  awake_us: z.record(z.enum(ACTIVITIES), Cpu),
  /** Microseconds of CPU each time, in addition to that. */
  each_us: z.record(z.enum(ACTIVITIES), Cpu),
  event_bytes: z.strictObject({ write_ahead_log: z.number(), published: z.number(), stream: z.number() }),
  stream: z.strictObject({ us_per_second: z.number() }),
  /** The CPU of the same parts while all activities went on at once at these rates, predicted by the model and measured. */
  check: z.strictObject({
    per_second: z.record(z.enum(ACTIVITIES), z.number()),
    predicted_us: Cpu,
    measured_us: Cpu,
  }),
});
export type Costs = z.infer<typeof Costs>;
export type CpuOfParts = z.infer<typeof Cpu>;

/** Returns the CPU that each part uses per second at these rates, by the costs. */
export function cpuPerSecond(
  { rest_us, awake_us, each_us }: Pick<Costs, 'rest_us' | 'awake_us' | 'each_us'>,
  perSecond: Readonly<Record<Activity, number>>,
): CpuOfParts {
  const happening = ACTIVITIES.filter((activity) => perSecond[activity] > 0);
  const costOf = (activity: Activity, part: Part) => awake_us[activity][part] + perSecond[activity] * each_us[activity][part];
  return byPart((part) => happening.reduce((sum, activity) => sum + costOf(activity, part), rest_us[part]));
}

export const byPart = (of: (part: Part) => number): CpuOfParts => Object.fromEntries(PARTS.map((part) => [part, of(part)])) as CpuOfParts;
