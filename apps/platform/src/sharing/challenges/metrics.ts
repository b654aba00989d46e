import { ChallengeOutcome } from '@cds/contracts';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  raised: { name: 'cds.challenges.raised', kind: 'counter', unit: '{challenge}', what: 'Challenges that were raised' },
  outcomes: {
    name: 'cds.challenges.outcomes',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Challenges that ended, by how',
    labels: [{ 'cds.outcome': ChallengeOutcome.options }],
  },
  timeToOutcome: {
    name: 'cds.challenges.time_to_outcome',
    kind: 'histogram',
    unit: 's',
    what: 'Time from raising a challenge to its outcome, by how it ended',
    boundaries: [1, 2.5, 5, 10, 20, 30, 60, 120, 180, 240, 300],
  },
  pending: { name: 'cds.challenges.pending', kind: 'gauge', unit: '{challenge}', what: 'Challenges that wait for an answer' },
  delivered: { name: 'cds.challenges.delivered', kind: 'counter', unit: '{challenge}', what: 'Outcomes that were delivered by a poll' },
  cut: {
    name: 'cds.challenges.cut',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Outcomes whose answer did not leave whole: they were not consumed',
  },
  deleted: {
    name: 'cds.challenges.deleted',
    kind: 'counter',
    unit: '{challenge}',
    what: 'Challenges deleted when they were kept long enough',
  },
} as const;
