import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  requested: counter('codase.connect_requests.asked', '{request}', 'Requests of services that a person connects'),
  answered: counter(
    'codase.connect_requests.answered',
    '{request}',
    'Connect requests that a person answered, by the answer: accepted, rejected',
    { labels: [{ 'codase.outcome': ['accepted', 'rejected'] }] },
  ),
  expired: counter(
    'codase.connect_requests.expired',
    '{request}',
    'Connect requests that were deleted because they are kept no longer, answered or not',
  ),
};
