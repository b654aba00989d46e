import { histogram } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  calls: histogram(
    'codase.plugin.call.duration',
    's',
    'Time of a call at the forwarder, by how it ended: answered, or the key of its refusal',
    { boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20] },
  ),
};
