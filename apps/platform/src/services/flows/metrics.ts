/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  published: { name: 'codase.flows.published', kind: 'counter', unit: '{version}', what: 'Versions of contract flows that were published' },
  judged: {
    name: 'codase.flows.validated',
    kind: 'counter',
    unit: '{draft}',
    what: 'Drafts of contract flows that were judged, to validate or to publish them: without a finding, with warnings or with errors',
    labels: [{ 'codase.outcome': ['clean', 'warnings', 'errors'] }],
  },
} as const;
