import { Condition, Expr, isFlowId } from '@codase/contracts';
import { json } from '@codase/runtime/config';
import { z } from 'zod';
import type { AnswerRule } from './turns/rules.ts';

const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');
const hours = z
  .number('a number of hours')
  .positive('more than 0 hours')
  .max(24 * 365, 'hours, up to a year');

const Exprs = z.record(z.string(), Expr).default({});
const Blocks = z.strictObject({ picks: Exprs, values: Exprs });

/** The settings of one flow, by its name or id. `*` stands for all flows that are not named. */
const FlowSettings = z.strictObject({
  /** How often a reminder is published while a turn waits. */
  remind_every_hours: hours.optional(),
  /** The time after which a turn is overdue. */
  overdue_after_hours: hours.optional(),
  /** Rules that answer steps without a service. The first rule that fits a step answers it. */
  rules: z
    .array(
      z.strictObject({ node: z.string(), when: Condition.optional(), answers: Exprs, plugins: z.record(z.string(), Blocks).default({}) }),
    )
    .default([]),
});
type FlowSettings = z.infer<typeof FlowSettings>;

export const Services = json(
  z.record(
    Handle,
    z.strictObject({
      /** The keys of the company's party in its flows. The platform is polled for runs that await one of them. @spec D2-6 */
      owner_parties: z.array(Handle).min(1).default(['company']),
      flows: z.record(z.string(), FlowSettings).default({}),
    }),
    'an object of {service: {owner_parties, flows}}',
  ),
);
export type Services = z.infer<typeof Services>;

export const SETTINGS = Symbol('Settings');

/** The settings of services and flows. */
export class Settings {
  /** The names of flows by their ids, as far as they are known. */
  private readonly flowNames = new Map<string, string>();

  constructor(
    private readonly services: Services,
    readonly pollSeconds: number,
  ) {}

  get names(): string[] {
    return Object.keys(this.services);
  }

  /** Whether the settings of a service name flows by their names, not only by their ids. */
  namesFlows(service: string): boolean {
    return Object.keys(this.services[service]?.flows ?? {}).some((flow) => flow !== '*' && !isFlowId(flow));
  }

  learn({ id, name }: { id: string; name: string }): void {
    this.flowNames.set(id, name);
  }

  ownerParties(service: string): readonly string[] {
    return this.services[service]?.owner_parties ?? [];
  }

  rules(service: string, flow_id: string): readonly AnswerRule[] {
    return this.of(service, flow_id)?.rules ?? [];
  }

  /** Returns when to remind of a turn that begins now, and when it is overdue. Null means never. */
  deadlines(service: string, flow_id: string, now: Date): { remind_at: Date | null; overdue_at: Date | null } {
    const { remind_every_hours, overdue_after_hours } = this.of(service, flow_id) ?? {};
    return { remind_at: later(now, remind_every_hours), overdue_at: later(now, overdue_after_hours) };
  }

  private of(service: string, flow_id: string): FlowSettings | undefined {
    const flows = this.services[service]?.flows ?? {};
    const named = [flow_id, this.flowNames.get(flow_id) ?? flow_id].find((key) => Object.hasOwn(flows, key));
    return flows[named ?? '*'];
  }
}

const HOUR_MS = 3_600_000;
const later = (now: Date, hours: number | undefined): Date | null =>
  hours === undefined ? null : new Date(now.getTime() + hours * HOUR_MS);
