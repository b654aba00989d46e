import { setTimeout as pause } from 'node:timers/promises';
import { one, sql } from '@codase/runtime/db';
import type { Postgres } from '@codase/servers';
import type { DataSource } from 'typeorm';
import type { Deliverer, Load, Post } from './load.ts';
import { benchPostgres, openBenchDatabase, statementsOn } from '../harness/database.ts';
import { loadPeer, type Boss, type PgBoss } from '../harness/peers.ts';

const QUEUE = 'hook';
const INSERTED_AT_ONCE = 1000;
/** The settings that were fastest here. One loop with larger groups saves CPU of the database but is slower. */
const FASTEST = { loops: 4, jobs: 250 };

/** pg-boss, whose policy `key_strict_fifo` is nearest to our guarantee. Loops fetch jobs, since its own workers pause in between. */
export class PgBossQueue implements Deliverer {
  private constructor(
    readonly postgres: Postgres,
    private readonly db: DataSource,
    private readonly boss: Boss,
    private readonly post: Post,
  ) {}

  static async open(post: Post): Promise<PgBossQueue> {
    const { PgBoss } = await loadPeer<PgBoss>('pg-boss');
    const postgres = await benchPostgres();
    const boss = new PgBoss({ connectionString: postgres.url, max: 20, supervise: false, schedule: false });
    boss.on('error', () => undefined);
    await boss.start();
    await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', retryLimit: 0 });
    return new PgBossQueue(postgres, await openBenchDatabase(postgres.url, 2), boss, post);
  }

  /** Queues the jobs, each number in its own statement for the order. Completed jobs of earlier turns would slow it down. */
  async queue({ hooks, each, first }: Load): Promise<void> {
    const run = statementsOn(this.db);
    await run`delete from pgboss.job where state = 'completed'`;
    for (let number = first; number < first + each; number += 1) {
      const jobs = hooks.map((hook) => ({ data: { hook, number }, singletonKey: hook }));
      for (let from = 0; from < jobs.length; from += INSERTED_AT_ONCE)
        await this.boss.insert(QUEUE, jobs.slice(from, from + INSERTED_AT_ONCE));
    }
    await run`vacuum analyze`;
  }

  async begin() {
    const stopping = new AbortController();
    const loop = async () => {
      while (!stopping.signal.aborted) if (!(await this.deliverSome())) await pause(20);
    };
    const loops = Array.from({ length: FASTEST.loops }, loop);
    return {
      stop: () => {
        stopping.abort();
        return Promise.all(loops);
      },
    };
  }

  private async deliverSome(): Promise<boolean> {
    const jobs = await this.boss.fetch(QUEUE, { batchSize: FASTEST.jobs });
    await Promise.all(jobs.map(({ data }) => this.post(data.hook, data.number)));
    const ids = jobs.map(({ id }) => id);
    if (ids.length > 0) await this.boss.complete(QUEUE, ids);
    return ids.length > 0;
  }

  async isEmpty(): Promise<boolean> {
    return (await one(this.db, sql`select from pgboss.job where state < 'completed' limit 1`)) === undefined;
  }

  async close(): Promise<void> {
    await this.boss.stop({ graceful: false });
    await this.db.destroy();
    await this.postgres.stop();
  }
}
