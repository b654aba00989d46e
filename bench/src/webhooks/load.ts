import { setTimeout as pause } from 'node:timers/promises';
import type { Postgres } from '@codase/servers';
import { processTreeCpuMicroseconds } from '../harness/process-cpu.ts';
import type { Sample } from '../harness/bench.ts';
import type { Endpoint } from './endpoint.ts';

/** The events of one turn: this many for each of these webhooks, numbered from `first` on. */
export interface Load {
  hooks: readonly string[];
  each: number;
  first: number;
}

export type Post = (hook: string, number: number) => Promise<void>;

export interface Deliverer {
  postgres: Postgres;
  /** Queues the events: first one for each webhook, then the next. None is delivered before `begin`. */
  queue(load: Load): Promise<unknown>;
  /** Delivers the queued events until it is stopped. */
  begin(load: Load): Promise<{ stop(): Promise<unknown> }>;
  isEmpty(load: Load): Promise<boolean>;
}

/** Numbers the events of webhooks without a gap, over the turns of all contenders. */
export class Numbering {
  private readonly nextOf = new Map<string, number>();

  next(hooks: readonly string[], each: number): Load {
    const first = this.nextOf.get(hooks[0]!) ?? 1;
    this.nextOf.set(hooks[0]!, first + each);
    return { hooks, each, first };
  }
}

export const eventNumbered = (number: number) =>
  ({
    event: 'flow_run_turn',
    person_user_id: 'usr_ana',
    share_code: 'ANA',
    at: '2026-01-01T00:00:00.000Z',
    flow_run_id: String(number),
    awaiting_party: 'company',
  }) as const;

/** Queues a load outside of the measured time, then measures until all of it is delivered and removed from the queue. */
export async function deliverAll(by: Deliverer, endpoint: Endpoint, load: Load): Promise<Sample> {
  const before = await endpoint.seen();
  await by.queue(load);
  const [cpu, start] = [processTreeCpuMicroseconds(by.postgres.pid), performance.now()];
  const delivering = await by.begin(load);
  const operations = load.hooks.length * load.each;
  const after = await endpoint.seen(before.delivered + operations);
  for (let checks = 1; !(await by.isEmpty(load)); checks += 1) {
    if (checks === 5000) throw new Error('What was delivered is not taken out of the queue.');
    await pause(5);
  }
  const seconds = (performance.now() - start) / 1000;
  // Measured before connections end, because their CPU would be counted twice or never.
  const database_us = (processTreeCpuMicroseconds(by.postgres.pid) - cpu) / operations;
  await delivering.stop();
  const [overlaps, disordered] = [after.overlaps - before.overlaps, after.disordered - before.disordered];
  return { operations, seconds, figures: { database_us, overlaps, disordered } };
}
