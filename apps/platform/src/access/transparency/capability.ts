import { LOG_SUBJECTS } from '@codase/contracts';
import { AUDIT } from '../../foundation/audit/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { TransparencyLog1763164800222 } from '../../migrations/1763164800222-transparency-log.ts';
import { LogMirror1763164800280 } from '../../migrations/1763164800280-log-mirror.ts';
import { TOKENS } from '../tokens/index.ts';
import { FOLLOWED_LOGS, LogsOfOthers, LogsOfRegions } from './followed-logs.service.ts';
import { FrontDoorLogBus } from './front-door-log.bus.ts';
import { LogAppend } from './log-append.worker.ts';
import { LogLeafEntity } from './log-leaf.entity.ts';
import { LogMirrorEntity } from './log-mirror.entity.ts';
import { LogMirror } from './log-mirror.worker.ts';
import { METRICS } from './metrics.ts';
import { RegionLogBus } from './region-log.bus.ts';
import { TransparencyLog } from './transparency-log.service.ts';
import { TransparencyHttp } from './transparency.http.ts';

const NEW_LOG = { nothing: 'the epoch of the audit was raised, and each epoch has a log of its own: an older one is not continued' };
const PART = { http: [TransparencyHttp], workers: [LogAppend, LogMirror] };
const followed = (logs: typeof LogsOfRegions | typeof LogsOfOthers) => [TransparencyLog, { provide: FOLLOWED_LOGS, useClass: logs }];
const MIGRATIONS = [TransparencyLog1763164800222, LogMirror1763164800280];

/** A log of the audit in which nothing can be changed or left out unseen: anyone can keep its heads and compare them with later ones. */
export const TRANSPARENCY: Capability = {
  name: 'transparency',
  uses: [AUDIT, REGIONS, PEERS, TOKENS],
  tables: {
    frontDoor: [LogLeafEntity, LogMirrorEntity],
    region: [
      { entity: LogLeafEntity, stays: 'it tells what was done in this region, as the audit does' },
      { entity: LogMirrorEntity, stays: 'heads of other bases, which each base keeps for itself' },
    ],
  },
  reads: { 'audit.epoch': 'the log of an epoch is found together with its last leaf' },
  afterRestore: { frontDoor: NEW_LOG, region: NEW_LOG },
  migrations: { frontDoor: MIGRATIONS, region: MIGRATIONS },
  metrics: METRICS,
  parts: {
    'front-door': { ...PART, bus: [FrontDoorLogBus], providers: followed(LogsOfRegions) },
    region: { ...PART, bus: [RegionLogBus, answeredBy(LOG_SUBJECTS, TransparencyLog)], providers: followed(LogsOfOthers) },
  },
};
