import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type CHALLENGE_SUBJECTS } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { inSpan, linkTo, SpanKind, storedTrace } from '@codase/runtime/telemetry';
import type { MessageOf, ReplyOf } from '@codase/runtime/nest-bus';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { CLIENT_LOOKUP, type ClientLookup } from '../../access/clients/index.ts';
import { waitAtMost } from '../connections/index.ts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Home } from '../../foundation/regions/index.ts';
import { isOpen, type ChallengeAct } from './challenge-states.ts';
import { findCard, findOfPerson, listCards, lockChallenge } from './challenges.store.ts';
import { ChallengeCloser, type Outcome } from './challenge-closer.service.ts';
import { checkDigits } from './matching-digits.ts';
import type { ChallengeEntity } from './challenge.entity.ts';

type Subjects = typeof CHALLENGE_SUBJECTS;
type AnswerRequest = MessageOf<Subjects['answer']>;

/** How long an answer waits for another one to the same challenge. */
const LOCK_WAIT_MS = 2000;

/** Handles the answers of persons to the challenges of companies that live here. @spec D1-3.1 */
@Injectable()
export class ChallengeAnswers implements Handlers<Pick<Subjects, 'cards' | 'card' | 'answer'>> {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
    private readonly closing: ChallengeCloser,
    @Inject(CLIENT_LOOKUP) private readonly clients: ClientLookup,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async cards({ person_user_id }: { person_user_id: string }): Promise<ReplyOf<typeof CHALLENGE_SUBJECTS.cards>> {
    return { cards: await listCards(this.db, person_user_id, this.clock.now()) };
  }

  /** Returns what a phone shows of one challenge; null when the challenge is not open any more. */
  async card({
    person_user_id,
    challenge_id,
  }: MessageOf<typeof CHALLENGE_SUBJECTS.card>): Promise<ReplyOf<typeof CHALLENGE_SUBJECTS.card>> {
    return { card: (await findCard(this.db, person_user_id, challenge_id, this.clock.now())) ?? null };
  }

  /** Records the answer of a person, once. It is rolled back when the caller has stopped waiting: the person sees that it failed. */
  async answer(request: AnswerRequest, withinMs = Infinity): Promise<ReplyOf<typeof CHALLENGE_SUBJECTS.answer>> {
    const deadline = performance.now() + withinMs;
    const outcome = await this.home.transaction(async (tx) => {
      const found = await findOfPerson(tx, request.person_user_id, request.challenge_id);
      if (!found) throw new Refusal('twofa.challenge_not_found');
      const answered = await inTraceOf(found, () => this.answerIn(tx, found, request));
      if (performance.now() > deadline) throw new Refusal('service.unavailable');
      return answered;
    });
    // The client that raised the challenge is gone, so the challenge is now revoked, whatever the person answered.
    if (outcome.status === 'revoked') throw new Refusal('twofa.challenge_closed');
    return { status: outcome.status, completed_at: outcome.completed_at.toISOString() };
  }

  private async answerIn(
    tx: EntityManager,
    found: ChallengeEntity,
    { person_user_id, challenge_id, answer }: AnswerRequest,
  ): Promise<Outcome> {
    await this.home.remains(tx, found.company_user_id);
    await waitAtMost(tx, LOCK_WAIT_MS);
    const challenge = await lockChallenge(tx, challenge_id);
    const now = this.clock.now();
    if (!challenge || !isOpen(challenge, now)) throw new Refusal('twofa.challenge_closed');
    const act = (await this.clients.clientOf(challenge.client_id)) ? actOf(challenge, answer) : 'revoke';
    const { status } = this.closing.outcomeOf(challenge, act, now);
    const { company_user_id: account_id } = challenge;
    const details = { kind: status, ...(answer.kind === 'approve' && { reason: answer.gate }) };
    await this.audit.record(tx, { act: 'challenge.answered', account_id, object: challenge_id, initiator: person_user_id, details });
    return this.closing.closeOne(tx, challenge, act, now);
  }
}

/**
 * Does the work in the trace of the login that the person answers, so that the event about the answer belongs to it too. That trace is read
 * from the row of the challenge, so a phone cannot choose it. The span of the phone's request is linked.
 */
const inTraceOf = <T>({ traceparent }: ChallengeEntity, work: () => Promise<T>): Promise<T> =>
  inSpan('answer challenge', { kind: SpanKind.SERVER, parent: storedTrace(traceparent), links: linkTo() }, work);

const actOf = ({ digits }: ChallengeEntity, answer: AnswerRequest['answer']): ChallengeAct =>
  answer.kind === 'approve' ? checkDigits(digits, answer.digits) : 'deny';
