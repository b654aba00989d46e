/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  started: { name: 'codase.flow_runs.started', kind: 'counter', unit: '{run}', what: 'Runs of contract flows that were started' },
  ended: {
    name: 'codase.flow_runs.ended',
    kind: 'counter',
    unit: '{run}',
    what: 'Runs that came to an end, by how they did',
    labels: [{ 'codase.outcome': ['completed', 'cancelled'] }],
  },
  open: {
    name: 'codase.flow_runs.open',
    kind: 'gauge',
    unit: '{run}',
    what: 'Open runs by state: awaiting, generating, awaiting_signature',
  },
  turns: {
    name: 'codase.flow_runs.turns',
    kind: 'counter',
    unit: '{turn}',
    what: 'Turns that were taken, by where they led',
    labels: [{ 'codase.outcome': ['next_node', 'data_leaf', 'document_leaf'] }],
  },
  generated: {
    name: 'codase.flow_runs.generated',
    kind: 'counter',
    unit: '{generation}',
    what: 'Generations of the documents of runs: generated, or failed, which the caller may repeat',
    labels: [{ 'codase.outcome': ['generated', 'failed'] }],
  },
  generationTime: {
    name: 'codase.flow_runs.generation_duration',
    kind: 'histogram',
    unit: 's',
    what: 'How long a generation takes, from the request to the issued copies',
  },
  removed: {
    name: 'codase.flow_runs.data_removed',
    kind: 'counter',
    unit: '{run}',
    what: 'Runs whose answers and files were deleted, since the level or the service is gone',
  },
  filesRequestedAgain: {
    name: 'codase.flow_runs.files_asked_again',
    kind: 'counter',
    unit: '{request}',
    what: 'Requests to another region about a file of a run that it did not answer, and that were repeated',
  },
  releasesPostponed: {
    name: 'codase.flow_runs.releases_postponed',
    kind: 'counter',
    unit: '{file}',
    what: 'Contents of files that ended, and that the region of their customer could not delete yet',
  },
  releasesGivenUp: {
    name: 'codase.flow_runs.releases_given_up',
    kind: 'counter',
    unit: '{file}',
    what: 'The same, of which no region was told in all the time that they are kept',
  },
} as const;
