import { z } from 'zod';

/** What uses CPU: processes, and the databases of the one Postgres that is measured. */
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

/** What people, companies and services do that costs something each time. */
export const ACTIVITIES = ['edit', 'event', 'webhook', 'token', 'open'] as const;
export type Activity = (typeof ACTIVITIES)[number];

const Cpu = z.record(z.enum(PARTS), z.number().nonnegative());

/** What `npm run capacity -- --measure` found out on a machine. */
export const Costs = z.strictObject({
  machine: z.strictObject({ cpu: z.string(), cores: z.int(), node: z.string() }),
  measured: z.iso.date(),
  /** A bare RSA-2048 private operation there, to compare machines by. */
  rsa_us: z.number(),
  /** Microseconds of CPU in a second in which nothing happens. */
  rest_us: Cpu,
  /** Memory of a process after the run. */
  memory_mb: z.partialRecord(z.enum(PARTS), z.number()),
  /** Microseconds of CPU in a second in which some of it happens, however little: rounds that go on for as long as there is something. */
  awake_us: z.record(z.enum(ACTIVITIES), Cpu),
  /** Microseconds of CPU each time, beside that. */
  each_us: z.record(z.enum(ACTIVITIES), Cpu),
  /** An event on its way through the suite. */
  event_bytes: z.strictObject({ write_ahead_log: z.number(), published: z.number(), stream: z.number() }),
  /** A phone's stream that is held open. */
  stream: z.strictObject({ us_per_second: z.number() }),
  /** The same parts while everything went on at once at these rates, as the model predicted it and as it was. */
  check: z.strictObject({
    per_second: z.record(z.enum(ACTIVITIES), z.number()),
    predicted_us: Cpu,
    measured_us: Cpu,
  }),
});
export type Costs = z.infer<typeof Costs>;
export type CpuOfParts = z.infer<typeof Cpu>;

/** What each part uses in a second at these rates, by the costs. */
export function cpuPerSecond(
  { rest_us, awake_us, each_us }: Pick<Costs, 'rest_us' | 'awake_us' | 'each_us'>,
  perSecond: Readonly<Record<Activity, number>>,
): CpuOfParts {
  const happening = ACTIVITIES.filter((activity) => perSecond[activity] > 0);
  const costOf = (activity: Activity, part: Part) => awake_us[activity][part] + perSecond[activity] * each_us[activity][part];
  return byPart((part) => happening.reduce((sum, activity) => sum + costOf(activity, part), rest_us[part]));
}

export const byPart = (of: (part: Part) => number): CpuOfParts => Object.fromEntries(PARTS.map((part) => [part, of(part)])) as CpuOfParts;
