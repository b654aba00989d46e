import { ChallengeOutcome } from '@codase/contracts';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  raised: { name: 'codase.challenges.raised', kind: 'counter', unit: '{challenge}', what: 'Challenges that were raised' },
  outcomes: {
    name: 'codase.challenges.outcomes',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Challenges that ended, by how',
    labels: [{ 'codase.outcome': ChallengeOutcome.options }],
  },
  timeToOutcome: {
    name: 'codase.challenges.time_to_outcome',
    kind: 'histogram',
    unit: 's',
    what: 'Time from raising a challenge to its outcome, by how it ended',
    boundaries: [1, 2.5, 5, 10, 20, 30, 60, 120, 180, 240, 300],
  },
  pending: { name: 'codase.challenges.pending', kind: 'gauge', unit: '{challenge}', what: 'Challenges that wait for an answer' },
  delivered: { name: 'codase.challenges.delivered', kind: 'counter', unit: '{challenge}', what: 'Outcomes that were delivered by a poll' },
  cut: {
    name: 'codase.challenges.cut',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Outcomes whose answer did not leave whole: they were not consumed',
  },
  deleted: {
    name: 'codase.challenges.deleted',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Challenges deleted when they were kept long enough',
  },
} as const;
