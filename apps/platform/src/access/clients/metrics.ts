import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  assertionsRefused: counter('codase.clients.assertions_refused', '{request}', 'Client assertions that were refused, by the reason', {
    labels: [{ 'codase.outcome': ['time_or_audience', 'signature', 'used'] }],
  }),
};
