import { Inject, Injectable } from '@nestjs/common';
import { one, sql, type Db, type Sql } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../../access/tokens/index.ts';

/** A detached enrolment, named by its client and the hash of the state that began it. */
export interface Detached {
  client_id: string;
  state_hash: string;
}

export type Outcome = 'waiting' | 'enrolling' | 'enrolled' | 'denied';

/** Stores the outcomes of detached enrolments. */
@Injectable()
export class EnrolmentsStore implements ExpiredRows {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Begins a detached enrolment. One that has not expired is left as it is: loading the page again begins nothing new. */
  async beginDetached({ client_id, state_hash }: Detached, now: Date, expires_at: Date): Promise<void> {
    await one(
      this.db,
      sql`
      insert into detached_result as d (client_id, state_hash, outcome, expires_at)
      values (${client_id}, ${state_hash}, 'waiting', ${expires_at})
      on conflict (client_id, state_hash) do update set outcome = 'waiting', expires_at = excluded.expires_at where d.expires_at <= ${now}`,
    );
  }

  /** Moves the row with one conditional update, so that only one of several simultaneous answers counts. Returns whether it moved. */
  async moveDetached(
    { client_id, state_hash }: Detached,
    { from, to }: { from: Outcome; to: Outcome },
    now: Date,
    expires_at: Date,
  ): Promise<boolean> {
    const moved = await one(
      this.db,
      sql`
      update detached_result set outcome = ${to}, expires_at = ${expires_at}
       where client_id = ${client_id} and state_hash = ${state_hash} and outcome = ${from} and expires_at > ${now}
      returning 1`,
    );
    return moved !== undefined;
  }

  async outcomeOf({ client_id, state_hash }: Detached, now: Date): Promise<Outcome | undefined> {
    const found = await one<{ outcome: Outcome }>(
      this.db,
      sql`
      select outcome from detached_result where client_id = ${client_id} and state_hash = ${state_hash} and expires_at > ${now}`,
    );
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
