import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '@cds/runtime/clock';
import { many, one, sql, type Db } from '@cds/runtime/db';
import type { Log } from '@cds/runtime/telemetry';
import type { DataSource } from 'typeorm';
import { LeaseLost, type Lease } from './lease.ts';
import { fairShare } from './share.ts';

export interface LeasesOptions {
  kind: 'pull' | 'shard';
  /** The duties there are. */
  names: readonly string[];
  /** This replica. */
  owner: string;
  seconds: number;
}

/** Beats in the life of a lease: several may fail before it is lost. */
const BEATS = 6;

/**
 * Splits duties among the replicas: each holds a fair share of them, for a time that it renews. A replica that dies is replaced when its
 * leases run out; one that comes back under its own name takes them up at once.
 */
export class Leases {
  private readonly mine = new Map<string, { lease: Lease; until: number }>();
  private readonly stopping = new AbortController();
  private beating: Promise<void> | undefined;

  constructor(
    private readonly db: DataSource,
    private readonly clock: Clock,
    private readonly log: Log,
    readonly options: LeasesOptions,
  ) {}

  /** The lease on a duty, if it is ours for that much longer: begin nothing that would outlive it. */
  held(name: string, forMs = 0): Lease | undefined {
    const held = this.mine.get(name);
    return held && performance.now() + forMs < held.until ? held.lease : undefined;
  }

  async start(): Promise<void> {
    await this.beat();
    this.beating = this.run();
  }

  /** Lets go of everything, so that others need not wait. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.beating;
    this.mine.clear();
    const { kind, owner } = this.options;
    await many(this.db, sql`update lease set owner = null where kind = ${kind} and owner = ${owner}`);
    await many(this.db, sql`delete from replica where kind = ${kind} and name = ${owner}`);
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await pause((this.options.seconds * 1000) / BEATS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.beat().catch((error: unknown) => this.log.warn('leases could not be renewed', { 'cds.check': this.options.kind, error }));
    }
  }

  /** Says that we live, counts who else does, and takes our share of the duties, or renews it. */
  async beat(): Promise<void> {
    const from = performance.now();
    const now = this.clock.now();
    const { seconds } = this.options;
    const until = new Date(now.getTime() + seconds * 1000);
    const held = await this.db.transaction(async (tx) => {
      const share = await this.share(tx, now, until);
      return this.claim(tx, { now, until, share });
    });
    for (const name of this.mine.keys()) if (!held.some((lease) => lease.name === name)) this.mine.delete(name);
    for (const lease of held) this.mine.set(lease.name, { lease, until: from + seconds * 1000 });
  }

  private async share(tx: Db, now: Date, until: Date): Promise<number> {
    const { kind, names, owner } = this.options;
    await many(
      tx,
      sql`
      insert into replica (kind, name, until) values (${kind}, ${owner}, ${until})
      on conflict (kind, name) do update set until = excluded.until`,
    );
    await many(
      tx,
      sql`
      insert into lease (kind, name, until) select ${kind}, name, ${now} from unnest(${names}::text[]) as name
      on conflict do nothing`,
    );
    const living = await one<{ count: number }>(
      tx,
      sql`
      select count(*)::integer as count from replica where kind = ${kind} and until > ${now}`,
    );
    return fairShare(names.length, living?.count ?? 1);
  }

  /**
   * Ours first, so that duties stay where they are; then free ones. What is beyond the share is not renewed: nothing new is begun for it,
   * what was begun is finished, and when it has run out another takes it.
   */
  private async claim(tx: Db, { now, until, share }: { now: Date; until: Date; share: number }): Promise<Lease[]> {
    const { kind, names, owner } = this.options;
    const known = [...this.mine.values()].map(({ lease }) => `${lease.name}:${lease.epoch}`);
    return many<Lease>(
      tx,
      sql`
      with free as (
        select name, row_number() over (order by (owner = ${owner}) desc nulls last, name) <= ${share} as take, owner = ${owner} as ours
          from (select name, owner from lease
                 where kind = ${kind} and name = any(${names}) and (owner is null or owner = ${owner} or until <= ${now})
                 order by name for update) as candidates)
      update lease
         set owner = ${owner},
             epoch = case when free.ours and lease.name || ':' || lease.epoch = any(${known}) then lease.epoch else lease.epoch + 1 end,
             until = ${until}
        from free
       where lease.kind = ${kind} and lease.name = free.name and free.take
      returning lease.kind, lease.name, lease.owner, lease.epoch::text as epoch`,
    );
  }
}

/** Within a transaction: nobody takes the duty over until it ends, and if somebody has, it fails. */
export async function fence(tx: Db, lease: Lease): Promise<void> {
  const { kind, name, owner, epoch } = lease;
  const still = await one(
    tx,
    sql`
    select 1 as still from lease where kind = ${kind} and name = ${name} and owner = ${owner} and epoch = ${epoch} for share`,
  );
  if (!still) throw new LeaseLost(lease);
}
