/** What is counted and measured here, by the names that dashboards and alerts use. */
export const METRICS = {
  requested: {
    name: 'codase.connect_requests.asked',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests of services that a person connects',
  },
  answered: {
    name: 'codase.connect_requests.answered',
    kind: 'counter',
    unit: '{request}',
    what: 'Connect requests that a person answered, by the answer: accepted, rejected',
    labels: [{ 'codase.outcome': ['accepted', 'rejected'] }],
  },
  expired: {
    name: 'codase.connect_requests.expired',
    kind: 'counter',
    unit: '{request}',
    what: 'Connect requests that were deleted because they are kept no longer, answered or not',
  },
} as const;
