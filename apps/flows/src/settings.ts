import { Condition, Expr, isFlowId } from '@cds/contracts';
import { json } from '@cds/runtime/config';
import { z } from 'zod';
import type { AnswerRule } from './turns/rules.ts';

const Handle = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and - only');
const hours = z
  .number('a number of hours')
  .positive('more than 0 hours')
  .max(24 * 365, 'hours, up to a year');

const Exprs = z.record(z.string(), Expr).default({});
const Blocks = z.strictObject({ picks: Exprs, values: Exprs });

/** What an operator says of one flow, by its name or id; `*` stands for all that are not named. */
const FlowSettings = z.strictObject({
  /** A reminder each so many hours while a turn waits. */
  remind_every_hours: hours.optional(),
  /** The turn is overdue after so many hours. */
  overdue_after_hours: hours.optional(),
  /** Steps that are answered without a service, the first rule that fits. */
  rules: z
    .array(
      z.strictObject({ node: z.string(), when: Condition.optional(), answers: Exprs, plugins: z.record(z.string(), Blocks).default({}) }),
    )
    .default([]),
});
export type FlowSettings = z.infer<typeof FlowSettings>;

export const Services = json(
  z.record(
    Handle,
    z.strictObject({
      /** The keys of the company's party in its flows: runs that await one of them are looked for. @spec D2-6 */
      owner_parties: z.array(Handle).min(1).default(['company']),
      flows: z.record(z.string(), FlowSettings).default({}),
    }),
    'an object of {service: {owner_parties, flows}}',
  ),
);
export type Services = z.infer<typeof Services>;

export const SETTINGS = Symbol('Settings');

/** What operators say of services and flows, as the parts ask for it. */
export class Settings {
  /** By their ids, as far as they were learned. */
  private readonly flowNames = new Map<string, string>();

  constructor(
    private readonly services: Services,
    readonly pollSeconds: number,
  ) {}

  get names(): string[] {
    return Object.keys(this.services);
  }

  /** Whether flows of a service are named by something else than their ids. */
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

  /** When to remind of a turn that begins now, and when it is overdue; null for never. */
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
