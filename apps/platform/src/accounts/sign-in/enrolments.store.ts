import { Inject, Injectable } from '@nestjs/common';
import { one, sql, type Db, type Sql } from '@codase/runtime/db';
import { MoreThan } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../../access/tokens/index.ts';
import { DetachedResultEntity } from './enrolment.entity.ts';

/** A detached enrolment, named by its client and the hash of the state that began it. */
export type Detached = Pick<DetachedResultEntity, 'client_id' | 'state_hash'>;

export type Outcome = DetachedResultEntity['outcome'];

/** Stores the outcomes of detached enrolments. */
@Injectable()
export class EnrolmentsStore implements ExpiredRows {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Begins a detached enrolment. One that has not expired is left as it is: loading the page again begins nothing new. */
  async beginDetached({ client_id, state_hash }: Detached, now: Date, expires_at: Date): Promise<void> {
    await one(this.db)`
      insert into detached_result as d (client_id, state_hash, outcome, expires_at)
      values (${client_id}, ${state_hash}, 'waiting', ${expires_at})
      on conflict (client_id, state_hash) do update set outcome = 'waiting', expires_at = excluded.expires_at where d.expires_at <= ${now}`;
  }

  /** Moves the row with one conditional update, so that only one of several simultaneous answers counts. Returns whether it moved. */
  async moveDetached(
    { client_id, state_hash }: Detached,
    { from, to }: { from: Outcome; to: Outcome },
    now: Date,
    expires_at: Date,
  ): Promise<boolean> {
    const waiting = { client_id, state_hash, outcome: from, expires_at: MoreThan(now) };
    return (await this.db.getRepository(DetachedResultEntity).update(waiting, { outcome: to, expires_at })).affected === 1;
  }

  async outcomeOf({ client_id, state_hash }: Detached, now: Date): Promise<Outcome | undefined> {
    const found = await this.db.getRepository(DetachedResultEntity).findOneBy({ client_id, state_hash, expires_at: MoreThan(now) });
    return found?.outcome;
  }

  /** Returns the statement that deletes expired results of detached enrolments. */
  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from detached_result where (client_id, state_hash) in
        (select client_id, state_hash from detached_result where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}
