import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { one, sql } from '@cds/runtime/db';
import { DEMO } from '@cds/stack';
import type { Sample } from '../harness/bench.ts';
import type { FlowsStack } from './flows-stack.ts';

/** Turns that wait for the company are kept ahead by so many, so that nobody waits for the load. */
const AHEAD = 300;
const AT_ONCE = 100;
/** As many as are in hands at once, a few times over. */
const AT_WORK = 30;
const LOOK_MS = 50;

/** The turns of the company, from the event to what the platform has taken, answered by a service of its own. */
export class CompanyTurns {
  private made = 0;

  private constructor(private readonly stack: FlowsStack) {}

  static async open(stack: FlowsStack): Promise<CompanyTurns> {
    const { nats } = stack.stack.settings;
    const { user = '', password = '' } = nats.credentials(DEMO.consumer);
    await stack.stack.startOther(fileURLToPath(new URL('handler-process.js', import.meta.url)), {
      NATS_URL: nats.url,
      NATS_USER: user,
      NATS_PASSWORD: password,
      FLOW: stack.flow_id,
    });
    return new CompanyTurns(stack);
  }

  /** Counted from when every part is at work, and until what was made is answered. */
  async run(seconds: number, onLook: () => void = () => {}): Promise<Sample> {
    const atRest = await this.answered();
    await this.keepAhead(atRest);
    await this.answeredAtLeast(atRest + AT_WORK);
    const [before, start] = [await this.answered(), performance.now()];
    let done = before;
    for (; performance.now() - start < seconds * 1000; done = await this.answered()) {
      onLook();
      await this.keepAhead(done);
      await pause(LOOK_MS);
    }
    const sample = { operations: done - before, seconds: (performance.now() - start) / 1000 };
    await this.answeredAtLeast(this.made);
    return sample;
  }

  private async keepAhead(done: number): Promise<void> {
    for (; this.made - done < AHEAD; this.made += AT_ONCE) await this.stack.turnsOfCompany(AT_ONCE);
  }

  async answeredAtLeast(expected: number): Promise<void> {
    for (let waited = 0; (await this.answered()) < expected; waited += LOOK_MS) {
      if (waited > 120_000) throw new Error(`Of ${expected} turns ${await this.answered()} were answered after two minutes.`);
      await pause(LOOK_MS);
    }
  }

  /** Runs that the company has answered in: the last party is the company in these alone. */
  private async answered(): Promise<number> {
    const counted = sql`
      select count(*)::int as n from flow_run
       where flow_id = ${this.stack.flow_id} and status = 'awaiting_customer' and last_party = 'company'`;
    return (await one<{ n: number }>(this.stack.region, counted))!.n;
  }
}
