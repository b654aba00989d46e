import { setTimeout as pause } from 'node:timers/promises';
import { one, sql } from '@codase/runtime/db';
import { DEMO } from '@codase/stack';
import type { Sample } from '../harness/bench.ts';
import type { FlowsStack } from './flows-stack.ts';

/** The assumed turns per second before the first measurement. */
const GUESSED_RATE = 30;
const CHECK_MS = 100;

/** The turns of the company, from the event until the platform has accepted the answer. The company's own service answers them. */
export class CompanyTurns {
  private rate = GUESSED_RATE;

  private constructor(private readonly stack: FlowsStack) {}

  static async open(stack: FlowsStack): Promise<CompanyTurns> {
    await stack.stack.startConsumer(new URL('handler-process.js', import.meta.url), { FLOW: stack.flow_id });
    return new CompanyTurns(stack);
  }

  /** Plays the turns that fit into the time, made before it begins. It is measured from the first answer, so that all work counts. */
  async run(seconds: number): Promise<Sample> {
    const before = this.stack.turns;
    await this.stack.turnsOfCompany(Math.ceil(this.rate * seconds));
    await this.answeredAtLeast(before + 1);
    const [begun, start] = [await this.answered(), performance.now()];
    await this.answeredAtLeast(this.stack.turns);
    const sample = { operations: this.stack.turns - begun, seconds: (performance.now() - start) / 1000 };
    this.rate = sample.operations / sample.seconds;
    return sample;
  }

  async answeredAtLeast(expected: number): Promise<void> {
    for (let waited = 0; (await this.answered()) < expected; waited += CHECK_MS) {
      if (waited > 300_000) throw new Error(`Of ${expected} turns ${await this.answered()} were answered after five minutes.`);
      await pause(CHECK_MS);
    }
  }

  /** Returns how many of the made turns are answered. Counts those that still wait, because they are few and quickly counted. */
  private async answered(): Promise<number> {
    const waiting = sql`
      select count(*)::int as n from flow_run
       where service_id = ${DEMO.keys.shop} and company_user_id = ${this.stack.shop.company_user_id} and status = 'awaiting_company'`;
    return this.stack.turns - (await one<{ n: number }>(this.stack.region, waiting))!.n;
  }
}
