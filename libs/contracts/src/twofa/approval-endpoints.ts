import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { whole } from '../core/page.ts';
import { challengeId } from '../core/params.ts';
import { idOr, Timestamp } from '../core/text.ts';
import { ChallengeCard, ChallengeOutcome, Enrolment, Gate } from './shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;
const ofChallenge = z.object({ challengeId });

export const listChallenges = endpoint('list_challenges', 'GET /api/app/challenges', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: "The logins that wait for the person's approval",
  description: 'The open logins that wait for this person, for the app to show as cards.',
  result: whole(ChallengeCard),
  refusals: ['twofa.unavailable'],
});

/** The server compares the digits, and one wrong entry denies the challenge. @gap D1-4.5 */
export const approveChallenge = endpoint('approve_challenge', 'POST /api/app/challenges/{challengeId}/approve', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: 'Approve a login, after the phone was unlocked for it',
  description:
    'Approves a login after the phone was unlocked. Where number matching is on, `digits` are what the person typed: the server ' +
    'compares them, and one wrong entry denies the challenge.',
  act: 'challengeId',
  params: ofChallenge,
  body: z.strictObject({ gate: Gate, digits: z.string().max(16).optional() }),
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: ['request.invalid', 'twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const denyChallenge = endpoint('deny_challenge', 'POST /api/app/challenges/{challengeId}/deny', {
  ...ROUTE,
  spec: 'D1-3.1',
  summary: 'Deny a login; needs no unlocking',
  description: 'Denies a login. It is final.',
  act: 'challengeId',
  params: ofChallenge,
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: ['twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const listEnrolments = endpoint('list_enrolments', 'GET /api/app/enrolments', {
  ...ROUTE,
  spec: 'D1-3.2',
  summary: 'The services whose logins the person approves',
  description: 'The services for which this person approves logins.',
  result: whole(Enrolment),
});

export const revokeEnrolment = endpoint('revoke_enrolment', 'DELETE /api/app/enrolments/{serviceId}', {
  ...ROUTE,
  spec: 'D1-3.2',
  summary: 'End an enrolment; its open challenges are revoked',
  description: 'Ends the enrolment for a service. Its open challenges are revoked; enrolling again needs a new consent.',
  params: z.object({ serviceId: idOr('twofa.not_enrolled').describe('The id of a service, from the list of enrolments') }),
  refusals: ['twofa.not_enrolled'],
});
