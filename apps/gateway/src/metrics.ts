/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  tokenRenewals: { name: 'cds.gateway.token.renewals', kind: 'counter', unit: '{token}', what: 'Access tokens the gateway requested' },
  renewalsFailed: {
    name: 'cds.gateway.token.renewals.failed',
    kind: 'counter',
    unit: '{token}',
    what: 'Access tokens that the gateway requested and did not get',
  },
  tokenSecondsLeft: {
    name: 'cds.gateway.token.left',
    kind: 'gauge',
    unit: 's',
    what: 'How long the token at hand is still used, by client; 0 when it is too old',
  },
  rebased: { name: 'cds.gateway.rebased', kind: 'counter', unit: '{request}', what: 'Requests sent again to the base a 421 named' },
  gatewayWaits: {
    name: 'cds.gateway.waits',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests that waited and were sent again, by the error key that asked for it',
  },
  gatewayQueue: {
    name: 'cds.gateway.queue',
    kind: 'level',
    unit: '{request}',
    what: 'Requests that wait for their turn below the limits of the platform',
  },
  gatewayRefused: {
    name: 'cds.gateway.refused',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests the gateway refused by itself, by the reason',
  },
  replicas: { name: 'cds.gateway.replicas', kind: 'gauge', unit: '{replica}', what: 'Gateways that share the limits of the platform' },
  breakersOpen: {
    name: 'cds.gateway.breakers.open',
    kind: 'level',
    unit: '{base}',
    what: 'Bases of the platform that are not asked because they cannot be reached',
  },
  answersCached: {
    name: 'cds.gateway.cached',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests answered from what the platform had said before',
  },
} as const;
