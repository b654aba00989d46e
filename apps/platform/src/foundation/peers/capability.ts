import { CHUNK_SUBJECTS } from '@codase/contracts';
import type { Capability } from '../../kit/capability.ts';
import { Parcels1763164800010 } from '../../migrations/region/1763164800010-parcels.ts';
import { REGIONS } from '../regions/index.ts';
import { ACT_CHECK } from './act-check.hook.ts';
import { answeredBy } from './answered-by.bus.ts';
import { ChunkEntity } from './chunk.entity.ts';
import { ChunkedTransfer } from './chunked-transfer.service.ts';
import { ArrivedChunks } from './chunks.store.ts';
import { METRICS } from './metrics.ts';
import { PeerHandlers } from './peer-handlers.service.ts';
import { Peers } from './peers.service.ts';
import { Speakers } from './speakers.service.ts';

/**
 * Requests between regions. Contracts declare each subject, with its kind and whose user it speaks for; a manifest binds the subjects to
 * the provider that answers them. @gap D1-1
 */
export const PEERS: Capability = {
  name: 'peers',
  uses: [REGIONS],
  tables: { region: [{ entity: ChunkEntity, stays: 'chunks of a transfer that is under way; the sender sends them again' }] },
  afterRestore: { region: { nothing: 'chunks of the copy are of transfers that were given up, and are deleted when they are old' } },
  migrations: { region: [Parcels1763164800010] },
  metrics: METRICS,
  requires: [ACT_CHECK],
  parts: {
    region: {
      bus: [answeredBy(CHUNK_SUBJECTS, ChunkedTransfer)],
      providers: [PeerHandlers, Peers, Speakers, ChunkedTransfer, ArrivedChunks],
    },
  },
};
