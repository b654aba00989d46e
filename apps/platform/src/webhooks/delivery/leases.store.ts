import { many, one, sql } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { fairShare } from './shards.ts';

/**
 * Who delivers for which part. A lease is about machines, not about the time that rules know: it runs by the database's own clock, which
 * all processes share, and a process that is gone loses it by doing nothing.
 */
export class LeasesStore {
  constructor(
    private readonly db: DataSource,
    private readonly owner: string,
    private readonly seconds: { lease: number; handOver: number },
  ) {}

  /** Renews what is held, hands over what is more than a fair share, and takes what nobody has. Answers the parts that are ours now. */
  renew(): Promise<number[]> {
    return this.db.transaction(async (tx) => {
      const most = fairShare(await this.present(tx));
      const held = (await this.extend(tx)).sort((a, b) => a - b);
      if (held.length > most) await this.handOver(tx, held.slice(most));
      const taken = held.length < most ? await this.take(tx, most - held.length) : [];
      return [...held.slice(0, most), ...taken];
    });
  }

  /** In an orderly end nobody has to wait for a lease to run out. */
  async leave(): Promise<void> {
    await many(this.db, sql`update delivery_shard set lease_until = clock_timestamp() where owner = ${this.owner}`);
    await many(this.db, sql`delete from delivery_process where owner = ${this.owner}`);
  }

  /** Says that this process is there, and counts those that are. */
  private async present(tx: EntityManager): Promise<number> {
    await many(tx, sql`delete from delivery_process where alive_until < clock_timestamp()`);
    await many(
      tx,
      sql`
      insert into delivery_process (owner, alive_until) values (${this.owner}, clock_timestamp() + make_interval(secs => ${this.seconds.lease}))
      on conflict (owner) do update set alive_until = excluded.alive_until`,
    );
    return (await one<{ n: number }>(tx, sql`select count(*)::integer as n from delivery_process`))!.n;
  }

  private async extend(tx: EntityManager): Promise<number[]> {
    return shards(
      await many(
        tx,
        sql`
      update delivery_shard set lease_until = clock_timestamp() + make_interval(secs => ${this.seconds.lease})
       where owner = ${this.owner} and lease_until > clock_timestamp()
      returning shard`,
      ),
    );
  }

  /** Nothing more is begun for these parts; what is under way ends before the lease does. */
  private async handOver(tx: EntityManager, given: readonly number[]): Promise<void> {
    await many(
      tx,
      sql`
      update delivery_shard set owner = null, lease_until = clock_timestamp() + make_interval(secs => ${this.seconds.handOver})
       where shard = any (${given})`,
    );
  }

  private async take(tx: EntityManager, most: number): Promise<number[]> {
    return shards(
      await many(
        tx,
        sql`
      update delivery_shard set owner = ${this.owner}, lease_until = clock_timestamp() + make_interval(secs => ${this.seconds.lease})
       where shard in (
         select shard from delivery_shard where lease_until <= clock_timestamp() order by shard limit ${most} for update skip locked)
      returning shard`,
      ),
    );
  }
}

const shards = (rows: { shard: number }[]) => rows.map(({ shard }) => shard);
