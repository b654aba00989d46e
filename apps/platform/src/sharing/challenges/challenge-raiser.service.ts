import { Inject, Injectable } from '@nestjs/common';
import { IDEMPOTENCY_KEY, Refusal, type Caller, type Input, type Output, type twofa } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { activeTraceparent, count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { emitAppEvents, type NewAppEvent } from '../../foundation/app-events/index.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { addChallenge, countChallenges, findByKey, forgetKey, lockPerson } from './challenges.store.ts';
import { holdEnrolled } from './enrolments.store.ts';
import { newDigits } from './matching-digits.ts';
import { METRICS } from './metrics.ts';
import { CHALLENGE_LIMITS, checkMayRaise, type ChallengeLimits } from './raise-limits.ts';
import { storeUnreachable } from './store-unreachable.ts';
import type { ChallengeEntity } from './challenge.entity.ts';
import { createHash, createHmac } from 'node:crypto';

type Service = Caller<typeof twofa.raiseChallenge>;
type Wanted = Input<typeof twofa.raiseChallenge>['body'];
type Raised = Output<typeof twofa.raiseChallenge>;

const REMEMBERED_MS = IDEMPOTENCY_KEY.hours * 60 * 60 * 1000;

/** Asks an enrolled person to approve a login. @spec D1-4.5 @spec D1-3.1 */
@Injectable()
export class ChallengeRaiser {
  constructor(
    private readonly home: Home,
    @Inject(CHALLENGE_LIMITS) private readonly limits: ChallengeLimits,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async raise(service: Service, { idempotency_key, ...wanted }: Wanted): Promise<Raised> {
    const key = raisedKey(idempotency_key, wanted);
    const { challenge, isNew } = await this.home
      .write(service.company_user_id, (tx) => this.raiseOnce(tx, service, wanted, key))
      .catch((error: unknown) => {
        throw unlessPaused(error);
      });
    if (isNew) count(METRICS.raised);
    return presentRaised(challenge);
  }

  /** Raises a challenge, once for each key. A repeated call is answered with its challenge, even when it could not be raised any more. */
  private async raiseOnce(tx: EntityManager, service: Service, wanted: Omit<Wanted, 'idempotency_key'>, key: RaisedKey): Promise<Answered> {
    // A transaction that ends the service or the enrolment waits until the challenge is there, and revokes it.
    const customer = await holdEnrolled(tx, service, wanted.share_code);
    if (customer) await lockPerson(tx, customer.person_user_id);
    const now = this.clock.now();
    const before = await this.raisedBefore(tx, service, key, now);
    if (before) return { challenge: before, isNew: false };
    if (!customer) throw new Refusal('twofa.not_enrolled');
    checkMayRaise(await countChallenges(tx, customer, now), this.limits, now);
    const { connection_id, person_user_id, share_code, number_matching } = customer;
    const challenge = await addChallenge(tx, {
      challenge_id: newId('chal'),
      company_user_id: service.company_user_id,
      service_id: service.service_id,
      client_id: service.client_id,
      connection_id,
      person_user_id,
      share_code,
      ...key,
      status: 'pending',
      context: wanted.context,
      digits: number_matching ? newDigits() : null,
      created_at: now,
      expires_at: new Date(now.getTime() + this.limits.lifetime_seconds * 1000),
      completed_at: null,
      consumed_at: null,
      traceparent: activeTraceparent(),
    });
    if (challenge) {
      await emitAppEvents(tx, [newCard(challenge)]);
      return { challenge, isNew: true };
    }
    // Another call used the same key for another person at the same time, and was first.
    return { challenge: (await this.raisedBefore(tx, service, key, now))!, isNew: false };
  }

  /** Returns the challenge that was raised with the key before. A key is remembered for a day. @gap D1-4.5 */
  private async raisedBefore(tx: EntityManager, { service_id }: Service, key: RaisedKey, now: Date): Promise<ChallengeEntity | undefined> {
    const before = await findByKey(tx, service_id, key.key_hash);
    if (!before) return undefined;
    if (before.created_at.getTime() + REMEMBERED_MS > now.getTime()) {
      checkSameBody(before, key);
      return before;
    }
    await forgetKey(tx, before.challenge_id);
    return undefined;
  }
}

/** The event that pushes the card to the person's devices. It has ids only: what the card shows is read when it is sent. @spec D1-3.1 */
const newCard = ({ person_user_id, company_user_id, challenge_id, created_at }: ChallengeEntity): NewAppEvent => ({
  person_user_id,
  company_user_id,
  kind: 'challenge_raised',
  object_id: challenge_id,
  at: created_at,
});

interface Answered {
  challenge: ChallengeEntity;
  isNew: boolean;
}

/**
 * Presents the answer of a raise. A repeated call gets the answer of the first one again, whatever happened to the challenge since: only a
 * poll returns an outcome, because that consumes it. The digits are there while the challenge is open. @gap D1-4.5
 */
const presentRaised = ({ challenge_id, expires_at, digits }: ChallengeEntity): Raised => ({
  challenge_id,
  status: 'pending',
  expires_at: expires_at.toISOString(),
  ...(digits !== null && { matching_digits: digits }),
});

/** Keeps the refusal that writes are paused, because it says more than that the store cannot be reached. */
const unlessPaused = (error: unknown): unknown =>
  error instanceof Refusal && error.key === 'db.writes_paused' ? error : storeUnreachable(error);

/** What is remembered of a call that raised a challenge. */
type RaisedKey = Record<'key_hash' | 'body_hash', string>;

/**
 * Hashes the key and the body of a call. Neither hash reveals the context: only a hash of the key is kept, and the body is hashed with the
 * key itself, so the body cannot be guessed without the key.
 */
export const raisedKey = (idempotency_key: string, { share_code, context }: { share_code: string; context: string }): RaisedKey => ({
  key_hash: createHash('sha256').update(idempotency_key).digest('base64url'),
  body_hash: createHmac('sha256', idempotency_key)
    .update(JSON.stringify([share_code, context]))
    .digest('base64url'),
});

/** Refuses a repeated call whose body differs from that of the first. @gap D1-4.5 */
export function checkSameBody(before: Pick<RaisedKey, 'body_hash'>, now: RaisedKey): void {
  if (before.body_hash !== now.body_hash) throw new Refusal('twofa.idempotency_conflict');
}
