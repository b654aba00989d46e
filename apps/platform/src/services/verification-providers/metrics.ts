import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  unproven: counter(
    'codase.verification.unproven',
    '{value}',
    'Verifications that came with a value and were left out, because no attestation of a provider proves them, by what was wrong',
    { labels: [{ 'codase.fault': ['key', 'signature', 'field', 'type'] }] },
  ),
};
