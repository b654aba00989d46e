import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  raised: counter('codase.twofa.raised', '{challenge}', 'Challenges the platform raised', { openLabels: ['codase.service'] }),
  raiseRetried: counter('codase.twofa.raise.retried', '{attempt}', 'Attempts to raise a challenge that were repeated, with the same key'),
  outcomes: counter('codase.twofa.outcomes', '{challenge}', 'Challenges that got their outcome, by its kind', {
    openLabels: ['codase.service', 'codase.outcome'],
  }),
  outcomeTime: histogram('codase.twofa.outcome.duration', 's', 'Time from the request of a login to its outcome', {
    boundaries: [0.5, 1, 2.5, 5, 10, 20, 30, 60, 120, 180, 240, 300, 320, 600],
  }),
  consumedWithoutRecord: counter(
    'codase.twofa.consumed_without_record',
    '{challenge}',
    'Outcomes that were consumed at the platform and never recorded here: each is a no',
    { openLabels: ['codase.service'] },
  ),
  pending: gauge('codase.twofa.pending', '{challenge}', 'Challenges without an outcome'),
  readsWaiting: gauge('codase.twofa.reads.waiting', '{read}', 'Reads that wait for an outcome in this process'),
  readsUnqueued: counter('codase.twofa.reads.unqueued', '{read}', 'Reads that were answered at once because too many waited already', {
    openLabels: ['codase.service'],
  }),
  polls: counter('codase.twofa.polls', '{poll}', 'Polls of challenges', { openLabels: ['codase.service'] }),
  pollsFailed: counter('codase.twofa.polls.failed', '{poll}', 'Polls without an answer, by error key', {
    openLabels: ['codase.service', 'codase.error_key'],
  }),
  settleRetried: counter('codase.twofa.settle.retried', '{attempt}', 'Attempts to record what a poll answered that were repeated'),
  publishFailed: counter(
    'codase.twofa.publish.failed',
    '{attempt}',
    'Attempts to publish outcomes on the stream that failed; they are repeated',
  ),
};
