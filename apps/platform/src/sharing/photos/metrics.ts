import { counter } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  added: counter('codase.photos.added', '{photo}', 'Photos that users added to their profiles and services'),
  deleted: counter('codase.photos.deleted', '{photo}', 'Photos that users deleted'),
};
