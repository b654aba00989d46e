import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  refused: counter('codase.audit.refused', '{act}', 'Refused acts, as the audit counts them', { openLabels: ['error.type'] }),
};
