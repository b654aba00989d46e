import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { SIGN_IN_STEP_MINUTES } from '@codase/contracts';
import { execute, sql, type Db, type Sql } from '@codase/runtime/db';
import { MoreThan } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { hashGrantSecret, newGrantSecret, type ExpiredRows } from '../../access/tokens/index.ts';
import type { AuthorizationQuery } from './authorization-request.ts';
import { SignInStepEntity } from './enrolment.entity.ts';
import type { RestoredFrontDoor } from '../../kit/after-restore.service.ts';

/** A sign-in whose password was right. */
type SignInStep = Pick<SignInStepEntity, 'user_id' | 'password_hash'>;

/** How many sign-ins of one account wait for a code; older ones are deleted. */
const MAX_WAITING = 50;

/** Returns the hash of everything that began an authorization, so that a step completes this one and no other. */
const requestHash = (query: AuthorizationQuery): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(query).toSorted(([one], [other]) => (one < other ? -1 : 1))))
    .digest('base64url');

/** Sign-ins that wait for a second factor. The page has a secret in place of the password, the table its hash. @gap D1-5.8 */
@Injectable()
export class SignInStepsStore implements ExpiredRows {
  constructor(@Inject(FRONT_DOOR_DB) private readonly db: Db) {}

  /** Begins a step, and returns its secret. */
  async begin({ user_id, password_hash }: SignInStep, query: AuthorizationQuery, now: Date): Promise<string> {
    const step = newGrantSecret();
    const expires_at = new Date(now.getTime() + SIGN_IN_STEP_MINUTES * 60_000);
    await this.db.getRepository(SignInStepEntity).insert({
      step_hash: hashGrantSecret(step),
      user_id,
      password_hash,
      request_hash: requestHash(query),
      created_at: now,
      expires_at,
    });
    await execute(this.db)`
      delete from sign_in_step where step_hash in
        (select step_hash from sign_in_step where user_id = ${user_id} order by created_at desc, step_hash offset ${MAX_WAITING})`;
    return step;
  }

  /** Finds a step of this authorization. */
  async find(step: string, query: AuthorizationQuery, now: Date): Promise<SignInStep | undefined> {
    const wanted = { step_hash: hashGrantSecret(step), request_hash: requestHash(query), expires_at: MoreThan(now) };
    return (await this.db.getRepository(SignInStepEntity).findOneBy(wanted)) ?? undefined;
  }

  /** Uses a step up. Returns whether it was still there: of several requests with it, one signs in. */
  async use(step: string): Promise<boolean> {
    return (await this.db.getRepository(SignInStepEntity).delete({ step_hash: hashGrantSecret(step) })).affected === 1;
  }

  deleteExpired(now: Date, limit: number): Sql {
    return sql`
      delete from sign_in_step where step_hash in
        (select step_hash from sign_in_step where expires_at <= ${now} limit ${limit} for update skip locked)
      returning 1`;
  }
}

/** Forgets the steps of all accounts: after the restore of an older copy nobody knows which ones signed in since. */
export const forgetSignInSteps = ({ tx }: RestoredFrontDoor) => tx.getRepository(SignInStepEntity).deleteAll();
