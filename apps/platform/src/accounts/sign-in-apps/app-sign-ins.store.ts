import { Inject, Injectable } from '@nestjs/common';
import { WAITING_SIGN_INS } from '@codase/contracts';
import { many, one, sql, type Db, type Sql } from '@codase/runtime/db';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { ExpiredRows } from '../../access/tokens/index.ts';
import { METRICS } from './metrics.ts';
import { AppSignInEntity, AppSubjectEntity } from './app-sign-in.entity.ts';

/** A sign-in that waits, with what the phone shows of its app and its company. */
export interface WaitingRow extends Pick<
  AppSignInEntity,
  'session_id' | 'claims' | 'claims_delivery' | 'digits' | 'seal_key' | 'created_at' | 'expires_at'
> {
  app_name: string;
  app_id: string;
  company_user_id: string;
  company_region: string;
  company_code: string | null;
  public_key: string | null;
}

/** What the sign-in page says of an app. */
export interface AppRequest extends Pick<AppSignInEntity, 'claims' | 'claims_delivery'> {
  company_user_id: string;
  company_code: string | null;
  /** The account key of the company, which values are sealed to; null for an account that has none. */
  public_key: string | null;
}

/** Stores sign-ins with apps, and the ids of persons for companies. */
@Injectable()
export class AppSignInsStore implements ExpiredRows {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  requestOf(client_id: string): Promise<AppRequest | undefined> {
    return one<AppRequest>(this.db)`
      select claims, claims_delivery, c.company_user_id, a.share_code as company_code, a.public_key
        from sign_in_app join client c using (client_id) join account a on a.user_id = c.company_user_id
       where client_id = ${client_id}`;
  }

  /** Adds a sign-in. Of those of the person that wait, only the newest stay. Returns how many others had to go. */
  async add(row: AppSignInEntity, user_id: string, tx: EntityManager): Promise<number> {
    await tx.getRepository(AppSignInEntity).insert(row);
    const pushedOut = await many(tx)`
      update app_sign_in set status = 'pushed_out'
       where session_id in (select session_id from app_sign_in join session s using (session_id)
                             where s.user_id = ${user_id} and status = 'waiting'
                             order by app_sign_in.created_at desc, session_id offset ${WAITING_SIGN_INS})
      returning 1`;
    return pushedOut.length;
  }

  /** Lists the sign-ins of a person that wait, the oldest first. One whose session, app or company has ended waits no more. */
  listWaiting(user_id: string, now: Date): Promise<WaitingRow[]> {
    return many<WaitingRow>(this.db)`
      select session_id, claims, claims_delivery, digits, seal_key, i.created_at, i.expires_at,
             c.name as app_name, c.client_id as app_id, c.company_user_id, a.region as company_region, a.share_code as company_code,
             a.public_key
        from app_sign_in i join session s using (session_id) join client c using (client_id) join account a on a.user_id = c.company_user_id
       where s.user_id = ${user_id} and i.status = 'waiting' and i.expires_at > ${now}
         and s.ended_at is null and s.epoch = c.epoch and c.disabled_at is null and a.disabled_at is null
       order by i.created_at, session_id`;
  }

  /** Answers a sign-in of this person that waits, once. Returns its app; undefined when none waits. */
  answer(
    { user_id, session_id, sealed_values }: { user_id: string; session_id: string; sealed_values: string | null },
    now: Date,
    tx: EntityManager,
  ): Promise<{ client_id: string } | undefined> {
    return one<{ client_id: string }>(tx)`
      update app_sign_in i set status = ${sealed_values === null ? 'denied' : 'approved'}, sealed_values = ${sealed_values}
        from session s join client c using (client_id) join account a on a.user_id = c.company_user_id
       where i.session_id = ${session_id} and s.session_id = i.session_id and s.user_id = ${user_id}
         and i.status = 'waiting' and i.expires_at > ${now}
         and s.ended_at is null and s.epoch = c.epoch and c.disabled_at is null and a.disabled_at is null
      returning s.client_id`;
  }

  /** Finds a sign-in with claims whose code was not exchanged yet, and whose redirect address its app still has. */
  find(code_hash: string, now: Date) {
    return one<AppSignInEntity & { app_name: string }>(this.db)`
      select i.*, c.name as app_name from app_sign_in i join session s using (session_id) join client c using (client_id)
       where i.code_hash = ${code_hash} and i.claims <> '[]' and i.expires_at > ${now}
         and s.ended_at is null and s.epoch = c.epoch and c.disabled_at is null and i.redirect_uri = any(c.redirect_uris)`;
  }

  /** Lets the code of an approved sign-in be exchanged. Returns whether this call was the one that did. */
  async release(code_hash: string, expires_at: Date, tx: EntityManager): Promise<boolean> {
    const approved = { code_hash, status: 'approved' } as const;
    return (await tx.getRepository(AppSignInEntity).update(approved, { status: 'done', expires_at })).affected === 1;
  }

  /** Takes a sign-in whose code was exchanged, with its values, out of the table. */
  take(session_id: string, tx: Db): Promise<AppSignInEntity | undefined> {
    return one<AppSignInEntity>(tx)`delete from app_sign_in where session_id = ${session_id} and status = 'done' returning *`;
  }

  /** Returns the id of a person for a company. The first sign-in gives it. */
  async subjectOf(company_user_id: string, user_id: string, fresh: string, tx: Db): Promise<string> {
    const added = { company_user_id, user_id, subject: fresh };
    await tx.createQueryBuilder().insert().into(AppSubjectEntity).values(added).orIgnore().execute();
    return (await tx.getRepository(AppSubjectEntity).findOneByOrFail({ company_user_id, user_id })).subject;
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from app_sign_in where session_id in
        (select session_id from app_sign_in where expires_at <= ${now} limit ${limit} for update skip locked)
      returning status`;
  }

  /** Counts the sign-ins that nobody has ended: no phone answered, or no app exchanged the code. */
  wereDeleted(rows: readonly Pick<AppSignInEntity, 'status'>[]): void {
    const expired = rows.filter(({ status }) => status !== 'denied' && status !== 'pushed_out').length;
    if (expired > 0) count(METRICS.outcomes, { 'codase.outcome': 'expired' }, expired);
  }
}
