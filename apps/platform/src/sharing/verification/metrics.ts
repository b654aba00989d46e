import { counter } from '@codase/runtime/metrics';

/** What is counted here, by the names that dashboards and alerts use. */
export const METRICS = {
  calls: counter(
    'codase.verification.calls',
    '{call}',
    'Calls of verification providers: what they did, or that their signature was refused',
    {
      labels: [{ 'codase.outcome': ['read', 'attested', 'revoked', 'signature_refused'] }],
    },
  ),
  ended: counter(
    'codase.verification.ended',
    '{value}',
    'Verified values whose time is over or whose key was revoked, and which are so no more',
  ),
};
