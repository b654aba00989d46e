/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  sent: { name: 'codase.messages.sent', kind: 'counter', unit: '{message}', what: 'Messages that services sent to their customers' },
  received: { name: 'codase.messages.received', kind: 'counter', unit: '{message}', what: 'Messages that customers sent to services' },
  expired: {
    name: 'codase.messages.expired',
    kind: 'counter',
    unit: '{message}',
    what: 'Messages that were deleted because they are kept no longer',
  },
} as const;
