import { Injectable } from '@nestjs/common';
import { CHALLENGE_EVENT, type ChallengeOutcome } from '@codase/contracts';
import { count, measure } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { emitAppEvents, type NewAppEvent } from '../../foundation/app-events/index.ts';
import { emit, type NewEvent } from '../../services/feed/index.ts';
import { transitionOf, type ChallengeAct } from './challenge-states.ts';
import { writeOutcome } from './challenges.store.ts';
import { METRICS } from './metrics.ts';
import type { ChallengeEntity } from './challenge.entity.ts';

/** How a challenge ended. */
export interface Outcome {
  status: ChallengeOutcome;
  completed_at: Date;
}

/** Ends challenges that the caller has locked, with all that follows from it, in the current transaction. @spec D1-3.1 */
@Injectable()
export class ChallengeCloser {
  /** Ends challenges. This should be the last thing that a transaction does, or nearly, because it locks the logs of app events. */
  async close(tx: EntityManager, challenges: readonly ChallengeEntity[], act: ChallengeAct, now: Date): Promise<void> {
    if (challenges.length === 0) return;
    const ends = challenges.map((challenge) => ({ challenge, ...this.outcomeOf(challenge, act, now) }));
    const { next, event } = transitionOf('pending', act);
    const ids = challenges.map(({ challenge_id }) => challenge_id);
    await writeOutcome(tx, ids, next, act === 'expire' ? null : now);
    if (event) await emit(tx, ends.map(completedEvent));
    await emitAppEvents(tx, ends.map(closedCard));
    for (const { challenge, status, completed_at } of ends) countOutcome(challenge, status, completed_at);
  }

  async closeOne(tx: EntityManager, challenge: ChallengeEntity, act: ChallengeAct, now: Date): Promise<Outcome> {
    await this.close(tx, [challenge], act, now);
    return this.outcomeOf(challenge, act, now);
  }

  /** Returns how an act ends a challenge. An expired challenge ended when its time was over, no matter when that is noticed. */
  outcomeOf({ status, expires_at }: ChallengeEntity, act: ChallengeAct, now: Date): Outcome {
    return { status: transitionOf(status, act).next, completed_at: act === 'expire' ? expires_at : now };
  }
}

type Ended = Outcome & { challenge: ChallengeEntity };

/** @spec D1-6.1 */
function completedEvent({ challenge, status, completed_at }: Ended): NewEvent {
  const { company_user_id, service_id, challenge_id, person_user_id, share_code } = challenge;
  const at = completed_at.toISOString();
  const outcome = { challenge_id, status: status as Exclude<ChallengeOutcome, 'expired'>, completed_at: at };
  return { company_user_id, service_id, event: { event: CHALLENGE_EVENT, person_user_id, share_code, at, ...outcome } };
}

/** The event that removes the card from every device of the person. @spec D1-3.1 */
const closedCard = ({ challenge, completed_at }: Ended): NewAppEvent => ({
  person_user_id: challenge.person_user_id,
  company_user_id: challenge.company_user_id,
  kind: 'challenge_closed',
  object_id: challenge.challenge_id,
  at: completed_at,
});

function countOutcome({ created_at }: ChallengeEntity, status: ChallengeOutcome, completed_at: Date): void {
  count(METRICS.outcomes, { 'codase.outcome': status });
  measure(METRICS.timeToOutcome, Math.max(0, completed_at.getTime() - created_at.getTime()) / 1000, { 'codase.outcome': status });
}
