import { Inject, Injectable } from '@nestjs/common';
import { ACCESS_TOKEN_SECONDS, REFRESH_REPEAT_SECONDS, SESSION_DAYS } from '@codase/contracts';
import { column, execute, hasRow, many, one, type Db } from '@codase/runtime/db';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import type { SecretReplaced } from '../clients/index.ts';
import type { AuthorizationCodeEntity, RefreshTokenEntity, SessionEntity } from './session.entity.ts';
import type { CodeRedemption, Rotation, SignedIn } from './sessions.ts';

/** A sign-in that was just made, with the one code that begins it. */
export interface NewSession
  extends
    Pick<SessionEntity, 'session_id' | 'client_id' | 'user_id'>,
    Pick<AuthorizationCodeEntity, 'code_hash' | 'redirect_uri' | 'code_challenge' | 'expires_at'> {
  /** The hash that the password of this sign-in was checked with. */
  password_hash: string | null;
  /** The epoch of the client: a new secret raises it, which ends the sessions that were begun before. @spec D1-5.1 */
  epoch: number;
}

/** A session as its user sees it. */
export type OpenSession = Pick<SessionEntity, 'session_id' | 'client_id' | 'created_at'> & { client_name: string; last_used_at: Date };

/** How many sessions are listed, the newest first. Nobody reads more, and no user has more phones. */
const MAX_LISTED = 200;

/** Sessions that were ended at once. */
export interface EndedSessions {
  /** How many there were. */
  sessions: number;
  /** The ids of those that may have an access token which has not expired: every base has to hear of their ends. */
  to_publish: string[];
}

type NewRefresh = Pick<RefreshTokenEntity, 'session_id' | 'expires_at'> & Pick<Rotation, 'next_hash'>;

/** Returns the moment after which a session must have begun to be still open. @gap D1-8 */
const begunSince = (now: Date): Date => new Date(now.getTime() - SESSION_DAYS * 24 * 3600_000);

/**
 * How long after the last noted use of a session an access token of it may be signed: a rotation is repeated without a note, and the base
 * that signs has a clock of its own.
 */
const SIGNED_LATER_SECONDS = REFRESH_REPEAT_SECONDS + 60;

/** Returns the moment after which a session must have been used for an access token of it to be still valid. */
const usedSince = (now: Date): Date => new Date(now.getTime() - (ACCESS_TOKEN_SECONDS + SIGNED_LATER_SECONDS) * 1000);

/** Sessions with their codes and refresh tokens. */
@Injectable()
export class SessionsStore implements SecretReplaced {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /**
   * Begins a session, unless the password was changed after it was checked. The account is locked against a change of the password, which
   * would end all other sessions and miss this one. Returns whether the session was begun.
   */
  begin(session: NewSession, now: Date, db: Db = this.db): Promise<boolean> {
    const { session_id, client_id, user_id, password_hash, epoch, code_hash, redirect_uri, code_challenge, expires_at } = session;
    return hasRow(db)`
      with owner as (
        select user_id from account where user_id = ${user_id} and password_hash = ${password_hash} for share),
      begun as (
        insert into session (session_id, client_id, user_id, epoch, created_at)
        select ${session_id}, ${client_id}, user_id, ${epoch}::integer, ${now}::timestamptz from owner
        returning session_id)
      insert into authorization_code (code_hash, session_id, redirect_uri, code_challenge, expires_at)
      select ${code_hash}, session_id, ${redirect_uri}, ${code_challenge}, ${expires_at}::timestamptz from begun
      returning 1`;
  }

  /**
   * Takes the code with one conditional update, so that only one of several simultaneous requests with the same code is served. The session
   * is locked before the code, the order in which sessions end and are deleted, so that neither waits for the other.
   */
  takeCode({ client_id, code_hash, redirect_uri, code_challenge }: CodeRedemption, now: Date, db: Db): Promise<SignedIn | undefined> {
    return one<SignedIn>(db)`
      with s as (
        select session_id, client_id, user_id, epoch from session
         where session_id = (select session_id from authorization_code where code_hash = ${code_hash})
           and client_id = ${client_id} and ended_at is null
           for no key update)
      update authorization_code a set used_at = ${now}
        from s join client c using (client_id) join account u using (user_id)
       where a.code_hash = ${code_hash} and a.used_at is null and a.expires_at > ${now}
         and a.redirect_uri = ${redirect_uri} and a.code_challenge = ${code_challenge}
         and s.session_id = a.session_id and s.epoch = c.epoch
         and c.disabled_at is null and u.disabled_at is null
      returning s.session_id, s.user_id, coalesce(c.region, u.region) as region`;
  }

  /** Uses up a code that came with a wrong verifier: whoever has the code alone gets one attempt. @gap D1-4.1 */
  async spendCode({ client_id, code_hash, code_challenge }: CodeRedemption, now: Date): Promise<void> {
    await execute(this.db)`
      update authorization_code a set used_at = ${now}
        from session s
       where a.code_hash = ${code_hash} and a.used_at is null and a.code_challenge <> ${code_challenge}
         and s.session_id = a.session_id and s.client_id = ${client_id}`;
  }

  async renewCode(code_hash: string, expires_at: Date, tx: Db): Promise<void> {
    await execute(tx)`update authorization_code set expires_at = ${expires_at} where code_hash = ${code_hash} and used_at is null`;
  }

  /** Takes a refresh token in the same way. Its session ends `SESSION_DAYS` after the sign-in, whatever the expiry of the token. */
  takeRefresh({ client_id, token_hash, next_hash, next_salt, bound }: Rotation, now: Date, db: Db): Promise<SignedIn | undefined> {
    return one<SignedIn>(db)`
      with s as (
        select session_id, client_id, user_id, epoch, jkt from session
         where session_id = (select session_id from refresh_token where token_hash = ${token_hash})
           and client_id = ${client_id} and ended_at is null and created_at > ${begunSince(now)}
           and (jkt is null or jkt = ${bound?.jkt ?? null})
           for no key update)
      update refresh_token r set used_at = ${now}, successor_hash = ${next_hash}, successor_salt = ${next_salt}
        from s join client c using (client_id) join account u using (user_id)
       where r.token_hash = ${token_hash} and r.used_at is null and r.expires_at > ${now}
         and s.session_id = r.session_id and s.epoch = c.epoch
         and c.disabled_at is null and u.disabled_at is null
      returning s.session_id, s.user_id, coalesce(c.region, u.region) as region, s.jkt`;
  }

  /**
   * Finds a refresh token that was used a moment ago and whose successor is unused: the answer was lost, or is still on its way. Returns
   * its session with the salt of that successor. @gap D1-8
   */
  takenJustNow({ client_id, token_hash, bound }: Rotation, now: Date): Promise<SignedIn | undefined> {
    const since = new Date(now.getTime() - REFRESH_REPEAT_SECONDS * 1000);
    return one<SignedIn>(this.db)`
      select s.session_id, s.user_id, coalesce(c.region, u.region) as region, r.successor_salt as salt
        from refresh_token r
        join refresh_token n on n.token_hash = r.successor_hash
        join session s on s.session_id = r.session_id
        join client c using (client_id) join account u using (user_id)
       where r.token_hash = ${token_hash} and r.used_at > ${since} and n.used_at is null
         and s.client_id = ${client_id} and s.ended_at is null and s.epoch = c.epoch
         and s.created_at > ${begunSince(now)} and c.disabled_at is null and u.disabled_at is null
         and (s.jkt is null or s.jkt = ${bound?.jkt ?? null})`;
  }

  /** Binds a session to the key of a device. */
  async bind(session_id: string, jkt: string, tx: Db): Promise<void> {
    await execute(tx)`update session set jkt = ${jkt} where session_id = ${session_id}`;
  }

  /** Adds a refresh token and records that the session was used. */
  async addRefresh({ session_id, next_hash, expires_at }: NewRefresh, now: Date, db: Db): Promise<void> {
    await one(db)`
      with used as (update session set last_used_at = ${now} where session_id = ${session_id})
      insert into refresh_token (token_hash, session_id, expires_at) values (${next_hash}, ${session_id}, ${expires_at})`;
  }

  /** Returns the client's session that a code or refresh token belongs to, if that code or token was used before. */
  async reused(client_id: string, hash: string): Promise<string | undefined> {
    const found = await one<{ session_id: string }>(this.db)`
      select s.session_id
        from (select session_id from authorization_code where code_hash = ${hash} and used_at is not null
              union all
              select session_id from refresh_token where token_hash = ${hash} and used_at is not null) used
        join session s using (session_id)
       where s.client_id = ${client_id}`;
    return found?.session_id;
  }

  /** The session of a client that a refresh token belongs to. */
  ofRefresh(client_id: string, token_hash: string): Promise<SignedIn | undefined> {
    return one<SignedIn>(this.db)`
      select s.session_id, s.user_id, coalesce(c.region, u.region) as region
        from refresh_token r join session s using (session_id) join client c using (client_id) join account u using (user_id)
       where r.token_hash = ${token_hash} and s.client_id = ${client_id}`;
  }

  /** Returns the user of a session, however it stands. */
  async userOf(session_id: string, db: Db): Promise<string | undefined> {
    const found = await one<{ user_id: string }>(db)`select user_id from session where session_id = ${session_id}`;
    return found?.user_id;
  }

  /** Ends a session. Returns its user and client, or undefined when the session had ended before. */
  end(session_id: string, now: Date, db: Db) {
    return one<{ user_id: string; client_id: string }>(
      db,
    )`update session set ended_at = ${now} where session_id = ${session_id} and ended_at is null returning user_id, client_id`;
  }

  /** Ends every session of all users and deletes all codes. Returns how many sessions were open. */
  async endAll(now: Date, tx: Db): Promise<number> {
    const ended = await one<{ n: number }>(tx)`
      with ended as (update session set ended_at = ${now} where ended_at is null returning 1)
      select count(*)::integer as n from ended`;
    await execute(tx)`delete from authorization_code`;
    return ended!.n;
  }

  /** Returns the sessions of a user that still have a valid refresh token: the newest of all, or those of `among`. */
  openOf(user_id: string, now: Date, among: readonly string[] | null = null, db: Db = this.db): Promise<OpenSession[]> {
    return many<OpenSession>(db)`
      select s.session_id, s.client_id, c.name as client_name, s.created_at, coalesce(s.last_used_at, s.created_at) as last_used_at
        from session s join client c using (client_id)
       where s.user_id = ${user_id} and s.ended_at is null and s.epoch = c.epoch and s.created_at > ${begunSince(now)}
         and exists (select from refresh_token r where r.session_id = s.session_id and r.used_at is null and r.expires_at > ${now})
         and (${among}::text[] is null or s.session_id = any(${among}::text[]))
       order by s.created_at desc, s.session_id
       limit ${MAX_LISTED}`;
  }

  /** Ends a session of a user. Returns whether the session belongs to that user and was still open. */
  endOf(user_id: string, session_id: string, now: Date, db: Db): Promise<boolean> {
    return hasRow(db)`
      update session set ended_at = ${now}
       where session_id = ${session_id} and user_id = ${user_id} and ended_at is null
      returning session_id`;
  }

  /** Ends every open session of a user, but for the one to keep. */
  async endAllOf(user_id: string, now: Date, db: Db, keep = ''): Promise<EndedSessions> {
    const ended = await one<EndedSessions>(db)`
      with ended as (
        update session set ended_at = ${now} where user_id = ${user_id} and ended_at is null and session_id <> ${keep}
        returning session_id, last_used_at)
      select count(*)::integer as sessions,
             coalesce(array_agg(session_id) filter (where last_used_at is null or last_used_at > ${usedSince(now)}), '{}') as to_publish
        from ended`;
    return ended!;
  }

  /** Returns the sessions that ended after a moment and may have an access token which has not expired. */
  endedSince(since: Date, now: Date): Promise<string[]> {
    return column<string>(this.db)`
      select session_id from session where ended_at > ${since} and (last_used_at is null or last_used_at > ${usedSince(now)})`;
  }

  /** Ends every session of the client and deletes its codes. @spec D1-5.1 */
  async secretReplaced(tx: Db, client_id: string, now: Date): Promise<void> {
    await execute(tx)`update session set ended_at = ${now} where client_id = ${client_id} and ended_at is null`;
    await execute(tx)`delete from authorization_code where session_id in (select session_id from session where client_id = ${client_id})`;
  }
}
