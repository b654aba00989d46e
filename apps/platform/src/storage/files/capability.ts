import { BODY_SINKS } from '@codase/runtime/http';
import type { Capability } from '../../kit/capability.ts';
import { contribute } from '../../kit/hooks.ts';
import { StoredObjects1763164800040 } from '../../migrations/region/1763164800040-stored-objects.ts';
import { ObjectOwners1763164800051 } from '../../migrations/region/1763164800051-object-owners.ts';
import { COMPANY_LEAVES, MOVES } from '../moves/index.ts';
import { ArrivedChunks, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { ABANDONED, RESTING_FILES } from './files.hook.ts';
import { STREAMED_BODIES, StreamedBodies } from './streamed-bodies.hook.ts';
import { AbandonedUploads } from './abandoned-uploads.worker.ts';
import { configuredStore } from './configured-store.service.ts';
import { DeletedObjects } from './deleted-objects.worker.ts';
import { FileMoves } from './file-moves.worker.ts';
import { FILE_SETTINGS, Files, OBJECT_STORE, storeAnswers, type FileSettings } from './files.service.ts';
import { METRICS } from './metrics.ts';
import { ObjectSweep } from './object-sweep.worker.ts';
import { ObjectStoreEntity, StoredObjectEntity } from './stored-object.entity.ts';

/** Files of other capabilities: in pieces in the database, and in an object store. */
export const FILES: Capability = {
  name: 'files',
  uses: [REGIONS, PEERS, MOVES],
  tables: {
    region: [
      { entity: ObjectStoreEntity, stays: "the region's own object store" },
      {
        entity: StoredObjectEntity,
        stays: "objects of the region's own store; files of a company that moves are brought back into its rows first",
      },
    ],
  },
  reads: { profile: 'files of companies that leave come back first: lists over many companies, in one statement' },
  afterRestore: { region: { nothing: 'a sweep compares the object store with the rows, and counts files whose object is missing' } },
  migrations: { region: [StoredObjects1763164800040, ObjectOwners1763164800051] },
  metrics: METRICS,
  offers: [RESTING_FILES, ABANDONED, STREAMED_BODIES],
  parts: {
    region: {
      workers: [DeletedObjects, ObjectSweep, FileMoves, AbandonedUploads],
      providers: [Files, StreamedBodies, { provide: BODY_SINKS, useExisting: StreamedBodies }],
      contributes: [contribute(COMPANY_LEAVES, FileMoves), contribute(ABANDONED, ArrivedChunks)],
      configure(config) {
        const store = configuredStore(config);
        const settings: FileSettings = { store: config.FILE_STORE, deleteAfterDays: config.FILE_DELETE_AFTER_DAYS };
        return {
          providers: [
            { provide: OBJECT_STORE, useValue: store },
            { provide: FILE_SETTINGS, useValue: settings },
          ],
          checks: (log) => ({ ...(store && { object_store: storeAnswers(store, log) }) }),
        };
      },
    },
  },
};
