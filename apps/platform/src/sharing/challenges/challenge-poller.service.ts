import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Caller, type Output, type twofa } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { TrackedAnswer } from '@codase/runtime/http';
import { FairSemaphore } from '@codase/runtime/resilience';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';
import { RateLimits } from '../../access/tokens/index.ts';
import { isOverdue, readingOf } from './challenge-states.ts';
import { waitAtMost } from '../connections/index.ts';
import { consume, findOfService, lockChallenge } from './challenges.store.ts';
import { ChallengeCloser, type Outcome } from './challenge-closer.service.ts';
import { METRICS } from './metrics.ts';
import { CHALLENGE_LIMITS, type ChallengeLimits } from './raise-limits.ts';
import { storeUnreachable, unavailable } from './store-unreachable.ts';
import type { ChallengeEntity } from './challenge.entity.ts';

type Service = Caller<typeof twofa.pollChallenge>;
type Polled = Output<typeof twofa.pollChallenge>;

/** How many outcomes may be delivered at once, each on a connection of a separate pool: slow readers keep no other request waiting. */
export const DELIVERIES_AT_ONCE = 10;
const DELIVERIES_OF_A_COMPANY = 5;
const QUEUED_OF_A_COMPANY = 200;
/** How long a read waits for a permit, and then for an earlier read of the same outcome. */
const WAIT_MS = 2000;
/** How long sending an answer may take. It has only some bytes: when it has not left by then, it is cut off. */
const ANSWER_MS = 5000;

/** A transaction on the polls' own pool, in which rows of a company may be written. */
interface PollWrites {
  write<T>(company_user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T>;
}
export const POLL_WRITES = Symbol('PollWrites');

/**
 * Answers polls for the status of a challenge. The first read of an outcome consumes it. That is committed when the whole answer has left:
 * if the connection breaks, or the process dies, the outcome was not delivered and stays there for the next read. @spec D1-3.1 @spec D1-4.5
 */
@Injectable()
export class ChallengePoller {
  private readonly capacity = new FairSemaphore(
    { total: DELIVERIES_AT_ONCE, each: DELIVERIES_OF_A_COMPANY, queuedEach: QUEUED_OF_A_COMPANY, waitMs: WAIT_MS },
    unavailable,
  );

  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    @Inject(POLL_WRITES) private readonly home: PollWrites,
    private readonly closer: ChallengeCloser,
    private readonly rates: RateLimits,
    private readonly mode: OwnMode,
    @Inject(CHALLENGE_LIMITS) private readonly limits: ChallengeLimits,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async poll(service: Service, challenge_id: string): Promise<Polled | TrackedAnswer<Polled>> {
    try {
      const challenge = await findOfService(this.db, service, challenge_id);
      if (!challenge) throw notFound();
      await this.chargePoll(challenge_id);
      if (this.checkReading(challenge) === 'pending') return { status: 'pending', expires_at: challenge.expires_at.toISOString() };
      if (this.mode.isPaused()) throw unavailable();
      if (challenge.status === 'pending') await this.expire(challenge);
      return await this.deliver(challenge);
    } catch (error) {
      throw storeUnreachable(error);
    }
  }

  /** Refuses a poll of a challenge that is polled too often. All polls of a challenge count together. @gap D1-8 */
  private async chargePoll(challenge_id: string): Promise<void> {
    const wait = await this.rates.secondsUntilFree('challenge_poll', challenge_id);
    if (wait > 0) throw new Refusal('twofa.rate_limited').after(wait);
  }

  private checkReading(challenge: ChallengeEntity): 'pending' | 'outcome' {
    const reading = readingOf(challenge, this.clock.now(), this.limits.outcome_hours * 60 * 60 * 1000);
    if (reading === 'forgotten') throw notFound();
    if (reading === 'consumed') throw new Refusal('twofa.result_consumed');
    return reading;
  }

  /** Ends an overdue challenge, in a transaction of its own, because phones must not wait until an answer has left. */
  private expire({ company_user_id, challenge_id }: ChallengeEntity): Promise<void> {
    return this.home.write(company_user_id, async (tx) => {
      await waitAtMost(tx, WAIT_MS);
      const [challenge, now] = [await lockChallenge(tx, challenge_id), this.clock.now()];
      if (challenge && isOverdue(challenge, now)) await this.closer.close(tx, [challenge], 'expire', now);
    });
  }

  /** Returns the answer as soon as the outcome is locked, and keeps the transaction open until the answer has left. */
  private deliver({ company_user_id, challenge_id }: ChallengeEntity): Promise<TrackedAnswer<Polled>> {
    return new Promise((answer, refuse) => {
      const untilLeft = ({ status, completed_at }: Outcome) =>
        new Promise<void>((sent, cut) => {
          const left = (wasWritten: boolean) => (wasWritten ? sent() : cut(new AnswerCut()));
          answer(new TrackedAnswer({ status, completed_at: completed_at.toISOString() }, { left, withinMs: ANSWER_MS }));
        });
      const consuming = () => this.home.write(company_user_id, (tx) => this.consume(tx, challenge_id, untilLeft));
      this.capacity.run(company_user_id, consuming).then(
        () => count(METRICS.delivered),
        (error: unknown) => {
          this.note(error);
          refuse(error);
        },
      );
    });
  }

  /** Consumes an outcome, once: other reads at the same time wait for the row, and then find it consumed or not. */
  private async consume(tx: EntityManager, challenge_id: string, untilLeft: (outcome: Outcome) => Promise<void>): Promise<void> {
    await waitAtMost(tx, WAIT_MS);
    const challenge = await lockChallenge(tx, challenge_id);
    if (!challenge) throw notFound();
    this.checkReading(challenge);
    if (challenge.status === 'pending') throw unavailable(); // not over yet, by a clock that is behind
    await consume(tx, challenge_id, this.clock.now());
    await untilLeft(outcomeOf(challenge));
  }

  /** Logs an error that is not a refusal: once the answer is on its way, there is no caller left to refuse. */
  private note(error: unknown): void {
    if (error instanceof Refusal) return;
    count(METRICS.cut);
    this.log.warn('the outcome of a challenge did not leave whole, and was not consumed', { error });
  }
}

const notFound = () => new Refusal('twofa.challenge_not_found');

/** Returns the outcome of a challenge that is not pending. */
const outcomeOf = ({ status, completed_at }: ChallengeEntity) => ({ status, completed_at }) as Outcome;

class AnswerCut extends Error {
  constructor() {
    super('The answer did not reach the caller');
    this.name = 'AnswerCut';
  }
}
