import { counter } from '@codase/runtime/metrics';

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  changes: counter(
    'codase.delegates.changes',
    '{change}',
    'Changes of delegates and their grants; removed is by the company, key_withdrawn leaves the grant, key_read is the first reading',
    { labels: [{ 'codase.outcome': ['added', 'accepted', 'removed', 'left', 'granted', 'key_withdrawn', 'revoked', 'key_read'] }] },
  ),
};
