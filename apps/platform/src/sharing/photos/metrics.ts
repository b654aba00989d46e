/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  added: { name: 'codase.photos.added', kind: 'counter', unit: '{photo}', what: 'Photos that users added to their profiles and services' },
  deleted: { name: 'codase.photos.deleted', kind: 'counter', unit: '{photo}', what: 'Photos that users deleted' },
} as const;
