import { RATE_LIMITS, type RateLimit } from '@codase/contracts';
import { counter } from '@codase/runtime/metrics';
import { PROOF_FAULTS, type ProofFault } from './dpop/dpop-proof.ts';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  rateLimited: counter('codase.rate_limited', '{request}', 'Requests refused by a rate limit', {
    labels: [{ 'codase.limit': Object.keys(RATE_LIMITS) as RateLimit[] }],
  }),
  tokensIssued: counter('codase.tokens.issued', '{token}', 'Access tokens issued', { labels: [{ 'codase.region': 'configured' }] }),
  refreshesRepeated: counter(
    'codase.refreshes.repeated',
    '{request}',
    'Refresh tokens that came again within seconds and got the same successor, since the first answer was lost',
  ),
  sessionsEnded: counter('codase.sessions.ended', '{session}', 'Sessions ended by their user or an operator'),
  proofsRefused: counter('codase.dpop.proofs_refused', '{request}', 'Requests refused because the proof of their key (DPoP) did not fit', {
    labels: [{ 'codase.fault': Object.keys(PROOF_FAULTS) as ProofFault[] }],
  }),
  usedProofsDeleted: counter(
    'codase.dpop.used_proofs_deleted',
    '{proof}',
    'Used proofs that were forgotten, since they are too old to be used again',
  ),
  grantsSwept: counter('codase.grants.swept', '{row}', 'Codes, refresh tokens and sessions deleted after their time'),
  rateBucketsDeleted: counter(
    'codase.rate_buckets.deleted',
    '{row}',
    'Buckets of rate limits that were deleted because nobody took from them for a day',
  ),
};
