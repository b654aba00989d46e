import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  companiesMoved: counter('codase.region_move.done', '{company}', 'Companies that moved to another region', {
    labels: [{ 'codase.region': 'configured' }],
  }),
  moveFailures: counter('codase.region_move.failures', '{attempt}', 'Attempts at a step of a move that failed', {
    labels: [{ 'codase.region': 'configured' }],
  }),
};
