import { Inject, Injectable } from '@nestjs/common';
import type { RunStatus } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { many, one, sql } from '@codase/runtime/db';
import { DataSource, IsNull } from 'typeorm';
import { RunStartEntity } from './run-start.entity.ts';

/** The start of a run. It is stored before the platform is asked, and gets its run when the platform has answered. */
export type Start = Omit<RunStartEntity, 'requested_at'>;
export type NewStart = Pick<Start, 'service' | 'start_key' | 'body_digest'>;

@Injectable()
export class StartsStore {
  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores a start before the platform is asked. A repeat gets the start that is stored already. */
  async request({ service, start_key, body_digest }: NewStart): Promise<Start> {
    const start = await one<Start>(
      this.db,
      sql`
      insert into run_start (service, start_key, body_digest, requested_at)
      values (${service}, ${start_key}, ${body_digest}, ${this.clock.now()})
      on conflict (service, start_key) do update set start_key = excluded.start_key
      returning *`,
    );
    return start!;
  }

  /** Deletes a start that the platform has refused. There is no run, so the same key may be used again. */
  async refused({ service, start_key }: Start): Promise<void> {
    await this.db.getRepository(RunStartEntity).delete({ service, start_key, flow_run_id: IsNull() });
  }

  /** Stores the run that the platform has started, unless a repeat of the request has stored it already. */
  async started({ service, start_key }: Start, run: { id: string; status: RunStatus; current_node: string | null }): Promise<void> {
    const open = { service, start_key, flow_run_id: IsNull() };
    await this.db.getRepository(RunStartEntity).update(open, { flow_run_id: run.id, status: run.status, node: run.current_node });
  }

  /** Deletes starts that are older than `before`, at most `most` of them. Returns how many. */
  async forget(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from run_start where (service, start_key) in (
        select service, start_key from run_start where requested_at < ${before}
         order by requested_at limit ${most} for update skip locked)
      returning 1 as gone`,
    );
    return gone.length;
  }
}
