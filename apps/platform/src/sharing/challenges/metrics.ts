import { ChallengeOutcome } from '@codase/contracts';
import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  raised: counter('codase.challenges.raised', '{challenge}', 'Challenges that were raised'),
  outcomes: counter('codase.challenges.outcomes', '{challenge}', 'Challenges that ended, by how', {
    labels: [{ 'codase.outcome': ChallengeOutcome.options }],
  }),
  timeToOutcome: histogram('codase.challenges.time_to_outcome', 's', 'Time from raising a challenge to its outcome, by how it ended', {
    boundaries: [1, 2.5, 5, 10, 20, 30, 60, 120, 180, 240, 300],
  }),
  pending: gauge('codase.challenges.pending', '{challenge}', 'Challenges that wait for an answer'),
  delivered: counter('codase.challenges.delivered', '{challenge}', 'Outcomes that were delivered by a poll'),
  cut: counter('codase.challenges.cut', '{challenge}', 'Outcomes whose answer did not leave whole: they were not consumed'),
  deleted: counter('codase.challenges.deleted', '{challenge}', 'Challenges deleted when they were kept long enough'),
};
