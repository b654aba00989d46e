import { LOG_SUBJECTS } from '@codase/contracts';
import { AUDIT } from '../../foundation/audit/index.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { TransparencyLog1763164800222 } from '../../migrations/1763164800222-transparency-log.ts';
import { LogMirror1763164800280 } from '../../migrations/1763164800280-log-mirror.ts';
import { LoggedKeys1763164800310 } from '../../migrations/1763164800310-logged-keys.ts';
import { FrontDoorKeys1763164800311 } from '../../migrations/front-door/1763164800311-front-door-keys.ts';
import { ServiceKeys1763164800312 } from '../../migrations/region/1763164800312-service-keys.ts';
import { TOKENS } from '../tokens/index.ts';
import { FOLLOWED_LOGS, LogsOfOthers, LogsOfRegions } from './followed-logs.service.ts';
import { FrontDoorLogBus } from './front-door-log.bus.ts';
import { KeyLogWorker } from './key-log.worker.ts';
import { KeyProofs } from './key-proofs.service.ts';
import { LogAppend } from './log-append.worker.ts';
import { LogLeafEntity } from './log-leaf.entity.ts';
import { LogMirrorEntity } from './log-mirror.entity.ts';
import { LogMirror } from './log-mirror.worker.ts';
import { LogNodes } from './log-nodes.service.ts';
import { LogSigners } from './log-signers.service.ts';
import { LoggedKeyEntity } from './logged-key.entity.ts';
import { METRICS } from './metrics.ts';
import { RegionKeysHttp } from './region-keys.http.ts';
import { RegionLogBus } from './region-log.bus.ts';
import { TransparencyLog } from './transparency-log.service.ts';
import { TransparencyHttp } from './transparency.http.ts';

const NEW_LOG = { nothing: 'the epoch of the audit was raised, and each epoch has a log of its own: an older one is not continued' };
const PART = { http: [TransparencyHttp], workers: [KeyLogWorker, LogAppend, LogMirror] };
const followed = (logs: typeof LogsOfRegions | typeof LogsOfOthers) => [
  TransparencyLog,
  LogNodes,
  LogSigners,
  KeyProofs,
  { provide: FOLLOWED_LOGS, useClass: logs },
];
const MIGRATIONS = [TransparencyLog1763164800222, LogMirror1763164800280, LoggedKeys1763164800310];

/** A log of the audit in which nothing can be changed or left out unseen: anyone can keep its heads and compare them with later ones. */
export const TRANSPARENCY: Capability = {
  name: 'transparency',
  uses: [AUDIT, REGIONS, PEERS, TOKENS],
  tables: {
    frontDoor: [LogLeafEntity, LogMirrorEntity, LoggedKeyEntity],
    region: [
      { entity: LogLeafEntity, stays: 'it tells what was done in this region, as the audit does' },
      { entity: LogMirrorEntity, stays: 'heads of other bases, which each base keeps for itself' },
      {
        entity: LoggedKeyEntity,
        stays: 'the log of each region has the keys that it holds: those of a company that moves are logged anew',
      },
    ],
  },
  reads: { 'audit.epoch': 'the log of an epoch is found together with its last leaf' },
  afterRestore: { frontDoor: NEW_LOG, region: NEW_LOG },
  migrations: { frontDoor: [...MIGRATIONS, FrontDoorKeys1763164800311], region: [...MIGRATIONS, ServiceKeys1763164800312] },
  metrics: METRICS,
  parts: {
    'front-door': { ...PART, bus: [FrontDoorLogBus], providers: followed(LogsOfRegions) },
    region: {
      ...PART,
      http: [...PART.http, RegionKeysHttp],
      bus: [RegionLogBus, answeredBy(LOG_SUBJECTS, TransparencyLog)],
      providers: followed(LogsOfOthers),
    },
  },
};
