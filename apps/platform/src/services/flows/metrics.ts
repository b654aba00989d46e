import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  published: counter('codase.flows.published', '{version}', 'Versions of contract flows that were published'),
  judged: counter(
    'codase.flows.validated',
    '{draft}',
    'Drafts of contract flows that were judged, to validate or to publish them: without a finding, with warnings or with errors',
    { labels: [{ 'codase.outcome': ['clean', 'warnings', 'errors'] }] },
  ),
};
