import { AUDIT } from '../../foundation/audit/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { TransparencyLog1763164800222 } from '../../migrations/1763164800222-transparency-log.ts';
import { TOKENS } from '../tokens/index.ts';
import { LogAppend } from './log-append.worker.ts';
import { LogLeafEntity } from './log-leaf.entity.ts';
import { METRICS } from './metrics.ts';
import { TransparencyLog } from './transparency-log.service.ts';
import { TransparencyHttp } from './transparency.http.ts';

const NEW_LOG = { nothing: 'the epoch of the audit was raised, and each epoch has a log of its own: an older one is not continued' };
const PART = { http: [TransparencyHttp], workers: [LogAppend], providers: [TransparencyLog] };

/** A log of the audit in which nothing can be changed or left out unseen: anyone can keep its heads and compare them with later ones. */
export const TRANSPARENCY: Capability = {
  name: 'transparency',
  uses: [AUDIT, REGIONS, TOKENS],
  tables: {
    frontDoor: [LogLeafEntity],
    region: [{ entity: LogLeafEntity, stays: 'it tells what was done in this region, as the audit does' }],
  },
  reads: { 'audit.epoch': 'the log of an epoch is found together with its last leaf' },
  afterRestore: { frontDoor: NEW_LOG, region: NEW_LOG },
  migrations: { frontDoor: [TransparencyLog1763164800222], region: [TransparencyLog1763164800222] },
  metrics: METRICS,
  parts: { 'front-door': PART, region: PART },
};
