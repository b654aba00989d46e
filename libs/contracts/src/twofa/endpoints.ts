import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { challengeId } from '../core/params.ts';
import { NewChallenge, PolledChallenge, RaisedChallenge } from './shapes.ts';

const ROUTE = { tag: 'two-factor', at: ['region'], callers: ['service'] } as const;

export const raiseChallenge = endpoint('raise_challenge', 'POST /api/service-2fa/challenges', {
  ...ROUTE,
  idempotent: true,
  spec: 'D1-4.5',
  summary: 'Ask an enrolled person to approve a login',
  description:
    "Asks an enrolled person to approve a login, with a card on the person's phone. Choose a new `idempotency_key` for each login, " +
    'and repeat with the same one after a time-out: it answers the challenge that exists. Where number matching is on, show ' +
    '`matching_digits` to whoever logs in. A challenge lives for five minutes. Too many open challenges are not cured by ' +
    'repeating: wait for their outcomes.',
  body: NewChallenge,
  result: RaisedChallenge,
  refusals: [
    'request.invalid',
    'twofa.share_code_required',
    'twofa.idempotency_key_required',
    'twofa.context_too_long',
    'twofa.not_enrolled',
    'twofa.rate_limited',
    'twofa.too_many_pending',
    'twofa.idempotency_conflict',
    'twofa.unavailable',
  ],
});

/** The first read of an outcome consumes it, so a poll writes. While writes are paused, it answers twofa.unavailable. @gap D1-4.5 */
export const pollChallenge = endpoint('poll_challenge', 'GET /api/service-2fa/challenges/{challenge_id}', {
  ...ROUTE,
  takes: true,
  spec: 'D1-4.5',
  summary: 'Read a challenge; the first read of an outcome consumes it. Grant the login on approved alone',
  description:
    'Says how a challenge stands. The first answer with an outcome is the only one: it is consumed, and later reads answer 410. ' +
    'Let the login in on `approved` and on nothing else. A 503 is no outcome and consumes nothing: ask again. The event ' +
    '`2fa_challenge_completed` is a hint to poll, not a substitute.',
  params: z.object({ challenge_id: challengeId }),
  result: PolledChallenge,
  refusals: ['twofa.challenge_not_found', 'twofa.result_consumed', 'twofa.rate_limited', 'twofa.unavailable'],
});
