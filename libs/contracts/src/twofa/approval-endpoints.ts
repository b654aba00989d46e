import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { Nothing, whole } from '../core/page.ts';
import { challengeId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr, Timestamp } from '../core/text.ts';
import { ChallengeCard, ChallengeOutcome, Enrolment, Gate } from './shapes.ts';

/** Routes that only a phone uses. @gap D1-1 */
const ROUTE = { tag: 'consumer app', at: ['region'], callers: ['person'] } as const;
const ofChallenge = z.object({ challengeId });

export const listChallenges = endpoint({
  ...ROUTE,
  name: 'list_challenges',
  method: 'GET',
  path: '/api/app/challenges',
  spec: 'D1-3.1',
  summary: "The logins that wait for the person's approval",
  description: 'The open logins that wait for this person, for the app to show as cards.',
  status: 200,
  result: whole(ChallengeCard),
  refusals: [...AUTHENTICATED, 'twofa.unavailable'],
});

/** The server compares the digits, and one wrong entry denies the challenge. @gap D1-4.5 */
export const approveChallenge = endpoint({
  ...ROUTE,
  name: 'approve_challenge',
  method: 'POST',
  path: '/api/app/challenges/{challengeId}/approve',
  spec: 'D1-3.1',
  summary: 'Approve a login, after the phone was unlocked for it',
  description:
    'Approves a login after the phone was unlocked. Where number matching is on, `digits` are what the person typed: the server ' +
    'compares them, and one wrong entry denies the challenge.',
  params: ofChallenge,
  body: z.strictObject({ gate: Gate, digits: z.string().max(16).optional() }),
  status: 200,
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: [...WRITES, 'request.invalid', 'twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const denyChallenge = endpoint({
  ...ROUTE,
  name: 'deny_challenge',
  method: 'POST',
  path: '/api/app/challenges/{challengeId}/deny',
  spec: 'D1-3.1',
  summary: 'Deny a login; needs no unlocking',
  description: 'Denies a login. It is final.',
  params: ofChallenge,
  status: 200,
  result: z.object({ status: ChallengeOutcome, completed_at: Timestamp }),
  refusals: [...WRITES, 'twofa.challenge_not_found', 'twofa.challenge_closed', 'twofa.unavailable'],
});

export const listEnrolments = endpoint({
  ...ROUTE,
  name: 'list_enrolments',
  method: 'GET',
  path: '/api/app/enrolments',
  spec: 'D1-3.2',
  summary: 'The services whose logins the person approves',
  description: 'The services for which this person approves logins.',
  status: 200,
  result: whole(Enrolment),
  refusals: AUTHENTICATED,
});

export const revokeEnrolment = endpoint({
  ...ROUTE,
  name: 'revoke_enrolment',
  method: 'DELETE',
  path: '/api/app/enrolments/{serviceId}',
  spec: 'D1-3.2',
  summary: 'End an enrolment; its open challenges are revoked',
  description: 'Ends the enrolment for a service. Its open challenges are revoked; enrolling again needs a new consent.',
  params: z.object({ serviceId: idOr('twofa.not_enrolled').describe('The id of a service, from the list of enrolments') }),
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'twofa.not_enrolled'],
});
