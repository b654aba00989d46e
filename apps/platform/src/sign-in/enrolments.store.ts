import { Inject, Injectable } from '@nestjs/common';
import { one, sql, type Db, type Sql } from '@cds/runtime/db';
import { FRONT_DOOR_DB } from '../databases.ts';
import type { ExpiredRows } from '../tokens/index.ts';

/** A detached enrolment, by the hash of the state that began it. */
export interface Detached {
  client_id: string;
  state_hash: string;
}

/** A person who approves the logins of a service, and the connection through which. */
export interface Enrolled {
  service_id: string;
  person_user_id: string;
  connection_id: string;
}

export type Outcome = 'waiting' | 'enrolled' | 'denied';

/** Who may be asked to approve logins, and what detached enrolments came to. */
@Injectable()
export class EnrolmentsStore implements ExpiredRows {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** An enrolment through a connection that has ended since is over. @gap D1-4.5 */
  async isEnrolled({ service_id, person_user_id, connection_id }: Enrolled): Promise<boolean> {
    const enrolled = await one(
      this.db,
      sql`
      select 1 from enrolment
       where service_id = ${service_id} and person_user_id = ${person_user_id}
         and coalesce(connection_id, ${connection_id}) = ${connection_id}`,
    );
    return enrolled !== undefined;
  }

  /** One per person per service, in place of one that is over. @spec D1-2.10 */
  async add({ service_id, person_user_id, connection_id }: Enrolled, now: Date, db: Db): Promise<void> {
    await one(
      db,
      sql`
      insert into enrolment as e (service_id, person_user_id, connection_id, created_at)
      values (${service_id}, ${person_user_id}, ${connection_id}, ${now})
      on conflict (service_id, person_user_id) do update
         set connection_id = excluded.connection_id,
             created_at = case when coalesce(e.connection_id, excluded.connection_id) = excluded.connection_id
                               then e.created_at else excluded.created_at end`,
    );
  }

  /** One that still stands is left as it is: a page that is loaded again begins nothing anew. */
  async beginDetached({ client_id, state_hash }: Detached, now: Date, expires_at: Date): Promise<void> {
    await one(
      this.db,
      sql`
      insert into detached_result as d (client_id, state_hash, outcome, expires_at)
      values (${client_id}, ${state_hash}, 'waiting', ${expires_at})
      on conflict (client_id, state_hash) do update set outcome = 'waiting', expires_at = excluded.expires_at where d.expires_at <= ${now}`,
    );
  }

  /** Says whether it was still waiting. */
  async decideDetached(
    { client_id, state_hash }: Detached,
    outcome: Outcome,
    now: Date,
    expires_at: Date,
    db: Db = this.db,
  ): Promise<boolean> {
    const decided = await one(
      db,
      sql`
      update detached_result set outcome = ${outcome}, expires_at = ${expires_at}
       where client_id = ${client_id} and state_hash = ${state_hash} and outcome = 'waiting' and expires_at > ${now}
      returning 1`,
    );
    return decided !== undefined;
  }

  async outcomeOf({ client_id, state_hash }: Detached, now: Date): Promise<Outcome | undefined> {
    const found = await one<{ outcome: Outcome }>(
      this.db,
      sql`
      select outcome from detached_result where client_id = ${client_id} and state_hash = ${state_hash} and expires_at > ${now}`,
    );
    return found?.outcome;
  }

  /** Results of detached enrolments that nobody can ask for any more. */
  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from detached_result where (client_id, state_hash) in
        (select client_id, state_hash from detached_result where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}
