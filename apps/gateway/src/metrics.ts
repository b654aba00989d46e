import { ERRORS, RATE_LIMITS, retryAdvice, type ErrorKey, type RateLimit } from '@codase/contracts';

const OF_SERVICE = [{ 'codase.service': 'configured' }] as const;
/** Refusals after which a call waits and is sent again. */
const WAITED_FOR = (Object.keys(ERRORS) as ErrorKey[]).filter(
  (key) => key === 'rate_limit.exceeded' || retryAdvice(key).seconds !== undefined,
);

/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  tokenRenewals: {
    name: 'codase.gateway.token.renewals',
    kind: 'counter',
    unit: '{token}',
    what: 'Access tokens the gateway requested',
    labels: OF_SERVICE,
  },
  renewalsFailed: {
    name: 'codase.gateway.token.renewals.failed',
    kind: 'counter',
    unit: '{token}',
    what: 'Access tokens that the gateway requested and did not get',
    labels: OF_SERVICE,
  },
  tokenSecondsLeft: {
    name: 'codase.gateway.token.left',
    kind: 'gauge',
    unit: 's',
    what: 'How long the token at hand is still used, by client; 0 when it is too old',
  },
  rebased: {
    name: 'codase.gateway.rebased',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests sent again to the base a 421 named',
    labels: OF_SERVICE,
  },
  gatewayWaits: {
    name: 'codase.gateway.waits',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests that waited and were sent again, by the error key that asked for it',
    labels: [{ 'codase.error_key': WAITED_FOR }],
  },
  gatewayQueue: {
    name: 'codase.gateway.queue',
    kind: 'level',
    unit: '{request}',
    what: 'Requests that wait for their turn below the limits of the platform',
  },
  gatewayRefused: {
    name: 'codase.gateway.refused',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests the gateway refused by itself, by the reason',
    labels: [
      { 'codase.check': ['queue_full', 'no_turn_in_time', 'stopping'], 'codase.limit': Object.keys(RATE_LIMITS) as RateLimit[] },
      { 'codase.check': ['breaker', 'api_host'] },
    ],
  },
  replicas: { name: 'codase.gateway.replicas', kind: 'gauge', unit: '{replica}', what: 'Gateways that share the limits of the platform' },
  breakersOpen: {
    name: 'codase.gateway.breakers.open',
    kind: 'level',
    unit: '{base}',
    what: 'Bases of the platform that are not asked because they cannot be reached',
  },
  answersCached: {
    name: 'codase.gateway.cached',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests answered from what the platform had said before',
    labels: OF_SERVICE,
  },
} as const;
