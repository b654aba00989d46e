import { RATE_LIMITS, type RateLimit } from '@codase/contracts';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  rateLimited: {
    name: 'codase.rate_limited',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests refused by a rate limit',
    labels: [{ 'codase.limit': Object.keys(RATE_LIMITS) as RateLimit[] }],
  },
  tokensIssued: {
    name: 'codase.tokens.issued',
    kind: 'counter',
    unit: '{token}',
    what: 'Access tokens issued',
    labels: [{ 'codase.region': 'configured' }],
  },
  refreshesRepeated: {
    name: 'codase.refreshes.repeated',
    kind: 'counter',
    unit: '{request}',
    what: 'Refresh tokens that came again within seconds and got the same successor, since the first answer was lost',
  },
  sessionsEnded: { name: 'codase.sessions.ended', kind: 'counter', unit: '{session}', what: 'Sessions ended by their user or an operator' },
  grantsSwept: {
    name: 'codase.grants.swept',
    kind: 'counter',
    unit: '{row}',
    what: 'Codes, refresh tokens and sessions deleted after their time',
  },
  rateBucketsDeleted: {
    name: 'codase.rate_buckets.deleted',
    kind: 'counter',
    unit: '{row}',
    what: 'Buckets of rate limits that were deleted because nobody took from them for a day',
  },
} as const;
