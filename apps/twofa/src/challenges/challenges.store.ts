import { Inject, Injectable } from '@nestjs/common';
import type { LoginOutcome } from '@codase/contracts';
import { move } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { execute, many, one, sql, type Db } from '@codase/runtime/db';
import { DataSource } from 'typeorm';
import { LOGIN, type LoginEffect, type LoginSignal } from './login-state.ts';
import { nextPollAt } from './polls.ts';
import { ChallengeEntity } from './challenge.entity.ts';

/** A login that waits for the platform, or for the person, or that has its outcome. */
export type Login = Omit<ChallengeEntity, 'poll_at' | 'claimed_until' | 'published'>;

/** A login whose challenge the platform has raised. */
export type RaisedLogin = Login & { challenge_id: string; expires_at: Date };
export type EndedLogin = RaisedLogin & { state: LoginOutcome; completed_at: Date };

export type Requested = Pick<Login, 'service' | 'asker' | 'platform_key' | 'body_digest' | 'traceparent'>;

/** A login that got its outcome, and what else must happen. */
interface Settled {
  login: EndedLogin;
  also: readonly LoginEffect[];
}

/** How long a poll may take before another replica may make it: longer than its timeout, so that no two polls are under way. */
const CLAIM_SECONDS = 15;

const LAST_ID = String(2n ** 63n - 1n);

@Injectable()
export class ChallengesStore {
  constructor(
    private readonly db: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Stores a request before the platform is asked. A repeat finds the stored login. */
  async request(challenge: Requested): Promise<Login> {
    const { service, asker, platform_key, body_digest, traceparent } = challenge;
    const { next } = move(LOGIN, 'none', 'request')!;
    const login = await one<Login>(
      this.db,
      sql`
      insert into challenge (service, asker, platform_key, body_digest, traceparent, requested_at, state)
      values (${service}, ${asker}, ${platform_key}, ${body_digest}, ${traceparent}, ${this.clock.now()}, ${next})
      on conflict (service, platform_key) do update set platform_key = excluded.platform_key
      returning *`,
    );
    return login!;
  }

  /** Deletes a login that the platform has refused: there is no challenge, so the same key may be used again. */
  async refused({ id }: Login): Promise<void> {
    await execute(this.db, sql`delete from challenge where id = ${id} and state = 'requested'`);
  }

  /** Stores the challenge that the platform has raised. Returns the login, which is further on when a repeat was faster. */
  async raised(challenge: Requested, raised: { challenge_id: string; expires_at: Date }): Promise<{ login: RaisedLogin; isNew: boolean }> {
    const standing = await this.request(challenge);
    const isNew = await this.db.transaction(async (tx) => {
      const { state } = (await this.lock(tx, standing.id))!;
      const step = move(LOGIN, state, 'raise');
      if (!step) return false;
      const poll_at = nextPollAt(this.clock.now(), 1, raised.expires_at);
      await execute(
        tx,
        sql`
        update challenge
           set state = ${step.next}, challenge_id = ${raised.challenge_id}, expires_at = ${raised.expires_at}, poll_at = ${poll_at}
         where id = ${standing.id}`,
      );
      return true;
    });
    const login = await one<RaisedLogin>(this.db, sql`select * from challenge where id = ${standing.id}`);
    return { login: login!, isNew };
  }

  find(service: string, asker: string, challenge_id: string): Promise<RaisedLogin | undefined> {
    return one<RaisedLogin>(
      this.db,
      sql`select * from challenge where service = ${service} and asker = ${asker} and challenge_id = ${challenge_id}`,
    );
  }

  /**
   * Claims challenges whose poll is due, those with an event first. The claim is written before the poll and records that the poll was
   * made: when a replica dies with the answer, the record stays, and the next poll finds the outcome consumed. No other replica takes a
   * claimed challenge.
   */
  claim(most: number): Promise<RaisedLogin[]> {
    return many<RaisedLogin>(
      this.db,
      sql`
      update challenge set polls = polls + 1, claimed_until = clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})
       where id in (
         select id from challenge
          where state = 'pending' and poll_at <= ${this.clock.now()} and (claimed_until is null or claimed_until <= clock_timestamp())
          order by event_status is null, poll_at limit ${most} for update skip locked)
      returning *`,
    );
  }

  /** Releases a challenge that is still open: it is polled again later, or now if an event came while it was polled. */
  async release({ id, event_status }: RaisedLogin, poll_at: Date): Promise<void> {
    await execute(
      this.db,
      sql`
      update challenge
         set claimed_until = null,
             poll_at = case when event_status is distinct from ${event_status} then ${this.clock.now()}::timestamptz else ${poll_at} end
       where id = ${id}`,
    );
  }

  /** Gives the login its outcome, if the state table allows one. Returns undefined when it had an outcome before. */
  settle({ id }: Pick<Login, 'id'>, signal: LoginSignal, completed_at: Date): Promise<Settled | undefined> {
    return this.db.transaction(async (tx) => {
      const standing = await this.lock(tx, id);
      const step = standing && move(LOGIN, standing.state, signal);
      if (!step) return undefined;
      const login = await one<EndedLogin>(
        tx,
        sql`update challenge set state = ${step.next}, completed_at = ${completed_at}, claimed_until = null where id = ${id} returning *`,
      );
      return { login: login!, also: step.also };
    });
  }

  /** Returns the challenges that expired before a moment and have no outcome. */
  overdue(endedBefore: Date, most: number): Promise<Pick<Login, 'id'>[]> {
    return many(
      this.db,
      sql`select id from challenge where state = 'pending' and expires_at <= ${endedBefore} order by expires_at limit ${most}`,
    );
  }

  /** Makes a poll due now, because an event says that there is an outcome. Returns whether there is anything to poll. */
  async noteEvent(service: string, challenge_id: string, event: { status: string; traceparent: string | null }): Promise<boolean> {
    const noted = await many(
      this.db,
      sql`
      update challenge set event_status = ${event.status}, event_traceparent = ${event.traceparent}, poll_at = ${this.clock.now()}
       where service = ${service} and challenge_id = ${challenge_id} and state = 'pending' returning id`,
    );
    return noted.length > 0;
  }

  unpublished(most: number): Promise<EndedLogin[]> {
    return many<EndedLogin>(
      this.db,
      sql`select * from challenge where completed_at is not null and not published order by id limit ${most}`,
    );
  }

  async published({ id }: EndedLogin): Promise<void> {
    await execute(this.db, sql`update challenge set published = true where id = ${id}`);
  }

  /** Returns the published logins that ended since a moment, from the newest back. */
  publishedBefore(id: string | undefined, since: Date, most: number): Promise<EndedLogin[]> {
    return many<EndedLogin>(
      this.db,
      sql`
      select * from challenge
       where published and completed_at > ${since} and id < coalesce(${id ?? null}::bigint, ${LAST_ID})
       order by id desc limit ${most}`,
    );
  }

  /** Returns which of these logins have their outcome: another replica may have found it. */
  async endedAmong(ids: readonly string[]): Promise<string[]> {
    const ended = await many<{ id: string }>(this.db, sql`select id from challenge where id = any(${ids}) and completed_at is not null`);
    return ended.map(({ id }) => id);
  }

  pending(): Promise<number> {
    return this.db.getRepository(ChallengeEntity).countBy({ state: 'pending' });
  }

  /** Deletes logins that are older than a moment, at most `most` at once. Returns how many. */
  async forget(before: Date, most: number): Promise<number> {
    const gone = await many(
      this.db,
      sql`
      delete from challenge where id in (
        select id from challenge
         where requested_at < ${before} and (published or state = 'requested')
         order by requested_at limit ${most} for update skip locked)
      returning 1 as gone`,
    );
    return gone.length;
  }

  private lock(tx: Db, id: string): Promise<Login | undefined> {
    return one<Login>(tx, sql`select * from challenge where id = ${id} for update`);
  }
}
