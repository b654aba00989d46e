import type { DataSource, EntityManager } from 'typeorm';
import { execute, many, one, prepared, sql, type Db } from '../../db/sql.ts';
import type { Log } from '../../telemetry/log.ts';
import { read, RUNTIME_METRICS } from '../../telemetry/metrics.ts';
import { monotonic, type Monotonic } from '../monotonic.ts';
import { repeat, type Repeated } from '../repeat.ts';
import { HeldLeases } from './held-leases.ts';
import { LeaseLost, type Lease } from './lease.ts';

export interface ShardLeasesOptions {
  kind: string;
  /** The names of all shards. */
  names: readonly string[];
  /** The name of this replica. */
  owner: string;
  /** How long a lease lasts that is not renewed. */
  seconds: number;
  now?: Monotonic;
}

/** Renewals in the life of a lease: several may fail before it is lost. */
const RENEWALS = 6;

/**
 * Splits shards among replicas: each holds a fair share of them, for a time that it renews. A replica that dies is replaced when its leases
 * run out; one that comes back under its own name takes them up at once.
 *
 * The tables `lease` and `replica` say which replica holds what, and until when. These times are about processes, not about rules, so they
 * run by the database's own clock, which all replicas share and no test moves.
 */
export class ShardLeases {
  private readonly leases: HeldLeases<Lease>;
  private readonly now: Monotonic;
  private renewing: Repeated | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly log: Log,
    readonly options: ShardLeasesOptions,
  ) {
    this.now = options.now ?? monotonic;
    this.leases = new HeldLeases(this.now);
  }

  /** The lease on a shard; undefined when this replica does not hold it for that much longer. Begin nothing that would outlive it. */
  held(name: string, forMs = 0): Lease | undefined {
    return this.leases.get(name, forMs);
  }

  covers(name: string, forMs = 0): boolean {
    return this.leases.covers(name, forMs);
  }

  /** The shards that this replica holds now. */
  get names(): string[] {
    return this.leases.names;
  }

  /** Renews the leases again and again until `stop`, for callers that do not call `renew` themselves. */
  async start(): Promise<void> {
    await this.renew();
    this.renewing = repeat(() => this.renew(), {
      name: `${this.options.kind}_leases`,
      pauseMs: (this.options.seconds * 1000) / RENEWALS,
      onFailure: (error) => this.log.warn('leases could not be renewed', { 'codase.check': this.options.kind, error }),
    });
  }

  /** Gives up all leases, so that other replicas need not wait for their end. */
  async stop(): Promise<void> {
    await this.renewing?.stop();
    this.leases.letGo();
    const { kind, owner } = this.options;
    await execute(this.db, sql`update lease set owner = null where kind = ${kind} and owner = ${owner}`);
    await execute(this.db, sql`delete from replica where kind = ${kind} and name = ${owner}`);
  }

  /** Notes that this replica lives, and takes or renews its share of the shards. Returns the shards that are new to it. */
  async renew(): Promise<string[]> {
    const requestedAt = this.now();
    const granted = await this.db.transaction(async (tx) => this.claim(tx, await this.present(tx)));
    read(RUNTIME_METRICS.leasesHeld, granted.length, { 'codase.check': this.options.kind });
    return this.leases.hold(granted, requestedAt, this.options.seconds * 1000);
  }

  /** Notes that this replica is present, and returns its share, in one statement, because all replicas renew all the time. */
  private async present(tx: EntityManager): Promise<number> {
    const { kind, names, owner, seconds } = this.options;
    const others = await one<{ count: number }>(
      tx,
      sql`
      with gone as (
        delete from replica where kind = ${kind} and name in
          (select name from replica
            where kind = ${kind} and name <> ${owner} and until <= clock_timestamp() for update skip locked)),
      present as (
        insert into replica (kind, name, until) values (${kind}, ${owner}, clock_timestamp() + make_interval(secs => ${seconds}))
        on conflict (kind, name) do update set until = excluded.until),
      shards as (
        insert into lease (kind, name, until) select ${kind}, name, '-infinity' from unnest(${names}::text[]) as name
        on conflict do nothing)
      select count(*)::integer as count from replica where kind = ${kind} and name <> ${owner} and until > clock_timestamp()`,
    );
    return fairShare(names.length, others!.count + 1);
  }

  /**
   * Takes the shards that this replica has, so that they stay where they are, then free ones. A shard beyond the share is not renewed:
   * nothing new is begun for it, what was begun is finished, and another replica takes it when its lease has run out.
   */
  private claim(tx: EntityManager, share: number): Promise<Lease[]> {
    const { kind, names, owner, seconds } = this.options;
    const known = this.leases.all().map(({ name, epoch }) => `${name}:${epoch}`);
    return many<Lease>(
      tx,
      sql`
      with free as (
        select name, row_number() over (order by (owner = ${owner}) desc nulls last, name) <= ${share} as take, owner = ${owner} as ours
          from (select name, owner from lease
                 where kind = ${kind} and name = any(${names}) and (owner is null or owner = ${owner} or until <= clock_timestamp())
                 order by name for update) as candidates)
      update lease
         set owner = ${owner},
             epoch = case when free.ours and lease.name || ':' || lease.epoch = any(${known}) then lease.epoch else lease.epoch + 1 end,
             until = clock_timestamp() + make_interval(secs => ${seconds})
        from free
       where lease.kind = ${kind} and lease.name = free.name and free.take
      returning lease.kind, lease.name, lease.owner, lease.epoch::text as epoch`,
    );
  }
}

/** Makes sure that no other replica takes the shard over before the transaction ends. Throws `LeaseLost` when one already has. */
export async function fence(tx: Db, lease: Lease): Promise<void> {
  const { kind, name, owner, epoch } = lease;
  const still = await one(
    tx,
    prepared(
      'lease_fence',
      sql`select 1 as still from lease where kind = ${kind} and name = ${name} and owner = ${owner} and epoch = ${epoch} for share`,
    ),
  );
  if (!still) throw new LeaseLost(lease);
}

/** How many shards each replica should have; some may have one less. */
export const fairShare = (shards: number, replicas: number): number => Math.ceil(shards / Math.max(1, replicas));
