import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  started: counter('codase.flow_runs.started', '{run}', 'Runs of contract flows that were started'),
  ended: counter('codase.flow_runs.ended', '{run}', 'Runs that came to an end, by how they did', {
    labels: [{ 'codase.outcome': ['completed', 'cancelled'] }],
  }),
  open: gauge('codase.flow_runs.open', '{run}', 'Open runs by state: awaiting, generating, awaiting_signature'),
  turns: counter('codase.flow_runs.turns', '{turn}', 'Turns that were taken, by where they led', {
    labels: [{ 'codase.outcome': ['next_node', 'data_leaf', 'document_leaf'] }],
  }),
  generated: counter(
    'codase.flow_runs.generated',
    '{generation}',
    'Generations of the documents of runs: generated, or failed, which the caller may repeat',
    { labels: [{ 'codase.outcome': ['generated', 'failed'] }] },
  ),
  generationTime: histogram(
    'codase.flow_runs.generation_duration',
    's',
    'How long a generation takes, from the request to the issued copies',
  ),
  removed: counter(
    'codase.flow_runs.data_removed',
    '{run}',
    'Runs whose answers and files were deleted, since the level or the service is gone',
  ),
  filesRequestedAgain: counter(
    'codase.flow_runs.files_asked_again',
    '{request}',
    'Requests to another region about a file of a run that it did not answer, and that were repeated',
  ),
  releasesPostponed: counter(
    'codase.flow_runs.releases_postponed',
    '{file}',
    'Contents of files that ended, and that the region of their customer could not delete yet',
  ),
  releasesGivenUp: counter(
    'codase.flow_runs.releases_given_up',
    '{file}',
    'The same, of which no region was told in all the time that they are kept',
  ),
};
