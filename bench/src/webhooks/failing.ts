import { setTimeout as pause } from 'node:timers/promises';
import { one, sql } from '@codase/runtime/db';
import type { Sample } from '../harness/bench.ts';
import { statementsOn } from '../harness/database.ts';
import type { Endpoint } from './endpoint.ts';
import { deliverAll, type Numbering } from './load.ts';
import type { Ours } from './ours.ts';

const WEBHOOKS_EACH = 500;
const EVENTS_EACH = 10;

/** Measures what failing webhooks cost an equal number of healthy ones. */
export class Failing {
  private constructor(
    private readonly ours: Ours,
    private readonly endpoint: Endpoint,
    private readonly well: string[],
    private readonly ill: string[],
  ) {}

  static async add(ours: Ours, endpoint: Endpoint): Promise<Failing> {
    const well = await ours.addService('ser_well', WEBHOOKS_EACH, endpoint.answering(200, 2));
    const ill = await ours.addService('ser_ill', WEBHOOKS_EACH, endpoint.answering(500, 2));
    return new Failing(ours, endpoint, well, ill);
  }

  /** Measures the healthy webhooks while nothing fails. */
  allWell(numbering: Numbering): Promise<Sample> {
    return deliverAll(this.ours, this.endpoint, numbering.next(this.well, EVENTS_EACH));
  }

  /** Measures the healthy webhooks with as many events for failing ones, which are queued and announced before. */
  async halfFailing(numbering: Numbering): Promise<Sample> {
    const before = await this.endpoint.seen();
    await this.ours.queue({ hooks: this.ill, each: EVENTS_EACH, first: 1 });
    await this.ours.tell(this.ill);
    const sample = await this.allWell(numbering);
    while (await this.isSomeoneNotTried()) await pause(5);
    const { refused } = await this.endpoint.seen();
    await this.heal();
    return { ...sample, figures: { ...sample.figures, posts_each: (refused - before.refused) / this.ill.length } };
  }

  private async isSomeoneNotTried(): Promise<boolean> {
    const found = await one(this.ours.db, sql`select from webhook where webhook_id = any (${this.ill}) and health = 'running' limit 1`);
    return found !== undefined;
  }

  private async heal(): Promise<void> {
    const run = statementsOn(this.ours.db);
    await run`delete from feed_event where channel = any (${this.ill})`;
    await run`update webhook set health = 'running', next_probe_at = null where webhook_id = any (${this.ill})`;
  }
}
