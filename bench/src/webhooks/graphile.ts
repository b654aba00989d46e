import { one, sql } from '@codase/runtime/db';
import type { Postgres } from '@codase/servers';
import type { DataSource } from 'typeorm';
import type { Deliverer, Load, Post } from './load.ts';
import { benchPostgres, openBenchDatabase, statementsOn } from '../harness/database.ts';
import { loadPeer, type GraphileWorker } from '../harness/peers.ts';

/** The fastest settings here: with groups of jobs, graphile-worker does not lock every free queue for each single job. */
const FASTEST = {
  concurrentJobs: 64,
  maxPoolSize: 20,
  pollInterval: 200,
  localQueue: { size: 500 },
  completeJobBatchDelay: 0,
  failJobBatchDelay: 0,
};

/** graphile-worker. A queue for each webhook gives the same guarantee as ours: its jobs run in order, one at a time. */
export class Graphile implements Deliverer {
  private constructor(
    readonly postgres: Postgres,
    private readonly db: DataSource,
    private readonly library: GraphileWorker,
    private readonly post: Post,
  ) {}

  static async open(post: Post): Promise<Graphile> {
    const library = await loadPeer<GraphileWorker>('graphile-worker');
    const postgres = await benchPostgres();
    const opened = new Graphile(postgres, await openBenchDatabase(postgres.url, 2), library, post);
    const utils = await library.makeWorkerUtils({ connectionString: postgres.url, logger: opened.silent });
    await utils.migrate();
    await utils.release();
    return opened;
  }

  /** Queues the jobs. Jobs run in the order of their due times, so each number of a webhook is added in its own, later statement. */
  async queue({ hooks, each, first }: Load): Promise<void> {
    const run = statementsOn(this.db);
    for (let number = first; number < first + each; number += 1) {
      await run`
        select count(*) from graphile_worker.add_jobs((
          select array_agg(('hook', json_build_object('hook', h, 'number', ${number}::int), h, now(), null, null, null,
            null)::graphile_worker.job_spec)
            from unnest(${hooks}::text[]) h))`;
    }
    await run`vacuum analyze`;
  }

  begin() {
    const preset = { worker: { connectionString: this.postgres.url, ...FASTEST } };
    const taskList = { hook: ({ hook, number }: { hook: string; number: number }) => this.post(hook, number) };
    return this.library.run({ preset, logger: this.silent, noHandleSignals: true, taskList });
  }

  async isEmpty(): Promise<boolean> {
    return (await one(this.db, sql`select from graphile_worker.jobs limit 1`)) === undefined;
  }

  async close(): Promise<void> {
    await this.db.destroy();
    await this.postgres.stop();
  }

  private get silent(): unknown {
    return new this.library.Logger(() => () => undefined);
  }
}
