/** The metrics of this capability, by the names that dashboards and alerts use. */
export const METRICS = {
  storeDuration: {
    name: 'codase.files.store.duration',
    kind: 'histogram',
    unit: 's',
    what: 'Time of a request to the object store, by operation and outcome: ok, or settings, unreachable, missing, corrupt',
  },
  storeBytes: {
    name: 'codase.files.store.bytes',
    kind: 'counter',
    unit: 'By',
    what: 'Bytes sent to and received from the object store',
    labels: [{ 'codase.operation': ['put', 'get'] }],
  },
  objects: { name: 'codase.files.objects', kind: 'gauge', unit: '{object}', what: 'Objects by state: uploading, stored, deleting' },
  objectsMissing: {
    name: 'codase.files.objects.missing',
    kind: 'gauge',
    unit: '{object}',
    what: 'Files whose object is not in the object store',
  },
  objectsDeleted: {
    name: 'codase.files.objects.deleted',
    kind: 'counter',
    unit: '{object}',
    what: 'Objects deleted from the object store',
  },
  objectsOrphaned: {
    name: 'codase.files.objects.orphaned',
    kind: 'counter',
    unit: '{object}',
    what: 'Objects that a sweep gave up: uploads that never ended, and objects without a row',
  },
  filesCorrupt: { name: 'codase.files.corrupt', kind: 'counter', unit: '{read}', what: 'Reads of objects that are not what was stored' },
  filesMoved: {
    name: 'codase.files.moved',
    kind: 'counter',
    unit: '{file}',
    what: 'Files whose content was moved to another store, by that store: postgres, s3',
    labels: [{ 'codase.store': ['postgres', 's3'] }],
  },
} as const;
