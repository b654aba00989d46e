import { z } from 'zod';
import { peerRead, peerWrite } from '../core/peer-subjects.ts';
import { Done, regionSubject } from '../core/platform-subjects.ts';
import { Id, Timestamp } from '../core/text.ts';
import { ChallengeCard, ChallengeOutcome, Enrolment, Gate } from './shapes.ts';

const ofPerson = z.strictObject({ person_user_id: Id });

/**
 * Subjects that a person's home region asks of the region in which a challenge lives, which is the company's. Nothing of a challenge is
 * kept in the person's region. @gap D1-1
 */
export const CHALLENGE_SUBJECTS = {
  cards: peerRead('challenge_cards', { speaksFor: 'person_user_id' }, ofPerson, z.object({ cards: z.array(ChallengeCard) })),
  /** One of the cards, for a phone that got its event; null when the challenge is no longer open. */
  card: peerRead(
    'challenge_card',
    { speaksFor: 'person_user_id' },
    ofPerson.extend({ challenge_id: Id }),
    z.object({ card: ChallengeCard.nullable() }),
  ),
  answer: peerWrite(
    'answer_challenge',
    {
      speaksFor: 'person_user_id',
      personAct: ({ challenge_id, answer: { kind, ...body } }) => ({ act: `${kind}_challenge`, on: challenge_id, body }),
    },
    ofPerson.extend({
      challenge_id: Id,
      answer: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('approve'), gate: Gate, digits: z.string().max(16).optional() }),
        z.strictObject({ kind: z.literal('deny') }),
      ]),
    }),
    z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  ),
  enrolments: peerRead('enrolments', { speaksFor: 'person_user_id' }, ofPerson, z.object({ enrolments: z.array(Enrolment) })),
  revokeEnrolment: peerWrite('revoke_enrolment', { speaksFor: 'person_user_id' }, ofPerson.extend({ service_id: Id }), Done),
} as const;

/** Subjects that the front door asks, and the region of a company answers. */
export const enrolmentSubjects = {
  /**
   * Enrols a person who agreed to approve the logins of a service. Answers the person's connection with the service, null when there is
   * none, and the code for connecting. A person who is already enrolled stays enrolled; a new one can be enrolled only when the company's
   * level is enough. @gap D1-4.5
   */
  enrol: regionSubject(
    'enrol',
    ofPerson.extend({ company_user_id: Id, service_id: Id, is_level_enough: z.boolean() }),
    z.object({ connection_id: Id.nullable(), code: z.string() }),
  ),
  /**
   * Takes enrolments that an earlier version kept at the front door. Answers, by their connections, which of them the region has now, and
   * which to send again later because their company is moving. The region knows nothing of the others.
   */
  takeEnrolments: regionSubject(
    'take_enrolments',
    z.strictObject({
      enrolments: z.array(ofPerson.extend({ service_id: Id, connection_id: Id, enrolled_at: Timestamp })).max(100),
    }),
    z.object({ taken: z.array(Id), later: z.array(Id) }),
  ),
} as const;
