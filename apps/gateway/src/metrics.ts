import { ERRORS, RATE_LIMITS, retryAdvice, type ErrorKey, type RateLimit } from '@codase/contracts';
import { counter, gauge, level } from '@codase/runtime/metrics';

const OF_SERVICE = [{ 'codase.service': 'configured' }] as const;
/** Refusals after which a call waits and is sent again. */
const WAITED_FOR = (Object.keys(ERRORS) as ErrorKey[]).filter(
  (key) => key === 'rate_limit.exceeded' || retryAdvice(key).seconds !== undefined,
);

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  tokenRenewals: counter('codase.gateway.token.renewals', '{token}', 'Access tokens the gateway requested', { labels: OF_SERVICE }),
  renewalsFailed: counter('codase.gateway.token.renewals.failed', '{token}', 'Access tokens that the gateway requested and did not get', {
    labels: OF_SERVICE,
  }),
  tokenSecondsLeft: gauge('codase.gateway.token.left', 's', 'How long the token at hand is still used, by client; 0 when it is too old'),
  rebased: counter('codase.gateway.rebased', '{request}', 'Requests sent again to the base a 421 named', { labels: OF_SERVICE }),
  gatewayWaits: counter(
    'codase.gateway.waits',
    '{request}',
    'Requests that waited and were sent again, by the error key that asked for it',
    { labels: [{ 'codase.error_key': WAITED_FOR }] },
  ),
  gatewayQueue: level('codase.gateway.queue', '{request}', 'Requests that wait for their turn below the limits of the platform'),
  gatewayRefused: counter('codase.gateway.refused', '{request}', 'Requests the gateway refused by itself, by the reason', {
    labels: [
      { 'codase.check': ['queue_full', 'no_turn_in_time', 'stopping'], 'codase.limit': Object.keys(RATE_LIMITS) as RateLimit[] },
      { 'codase.check': ['breaker', 'api_host'] },
    ],
  }),
  replicas: gauge('codase.gateway.replicas', '{replica}', 'Gateways that share the limits of the platform'),
  breakersOpen: level('codase.gateway.breakers.open', '{base}', 'Bases of the platform that are not asked because they cannot be reached'),
  answersCached: counter('codase.gateway.cached', '{request}', 'Requests answered from what the platform had said before', {
    labels: OF_SERVICE,
  }),
};
