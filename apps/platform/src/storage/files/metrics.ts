import { counter, gauge, histogram } from '@codase/runtime/metrics';

/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  storeDuration: histogram(
    'codase.files.store.duration',
    's',
    'Time of a request to the object store, by operation and outcome: ok, or settings, unreachable, missing, corrupt',
  ),
  storeBytes: counter('codase.files.store.bytes', 'By', 'Bytes sent to and received from the object store', {
    labels: [{ 'codase.operation': ['put', 'get'] }],
  }),
  objects: gauge('codase.files.objects', '{object}', 'Objects by state: uploading, stored, deleting'),
  objectsMissing: gauge('codase.files.objects.missing', '{object}', 'Files whose object is not in the object store'),
  objectsDeleted: counter('codase.files.objects.deleted', '{object}', 'Objects deleted from the object store'),
  objectsOrphaned: counter(
    'codase.files.objects.orphaned',
    '{object}',
    'Objects that a sweep gave up: uploads that never ended, and objects without a row',
  ),
  filesCorrupt: counter('codase.files.corrupt', '{read}', 'Reads of objects that are not what was stored'),
  filesMoved: counter('codase.files.moved', '{file}', 'Files whose content was moved to another store, by that store: postgres, s3', {
    labels: [{ 'codase.store': ['postgres', 's3'] }],
  }),
};
