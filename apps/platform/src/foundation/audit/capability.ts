import { restoreMark } from '@codase/contracts';
import type { Capability } from '../../kit/capability.ts';
import type { FrontDoorConfig, RegionConfig } from '../../kit/config.ts';
import { FRONT_DOOR_DB, REGION_DB } from '../../kit/databases.ts';
import { Audit1763164800020 } from '../../migrations/1763164800020-audit.ts';
import { AuditColumns1763164800220 } from '../../migrations/1763164800220-audit-columns.ts';
import { AuditByTime1763164800037 } from '../../migrations/front-door/1763164800037-audit-by-time.ts';
import { AuditBus } from './audit.bus.ts';
import { AuditExport } from './audit-export.service.ts';
import { Audit, AUDIT_DB, AUDIT_SETTINGS } from './audit.service.ts';
import { METRICS } from './metrics.ts';
import { AuditPartitions } from './audit-partitions.worker.ts';
import { RegionAuditBus } from './region-audit.bus.ts';
import { RESTORE_MARKS } from './restore-mark.ts';
import { OWN_MARK, RestoreMarks } from './restore-marks.worker.ts';
import { AuditEntryEntity } from './audit-entry.entity.ts';
import { AuditEpochEntity } from './audit-epoch.entity.ts';

const settings = (config: FrontDoorConfig | RegionConfig, region?: string) => {
  const { AUDIT_ADDRESSES: addresses, AUDIT_RETENTION_YEARS: retentionYears } = config;
  return {
    providers: [
      { provide: AUDIT_SETTINGS, useValue: { addresses, retentionYears } },
      { provide: OWN_MARK, useValue: restoreMark(region) },
    ],
  };
};

const STAYS = 'it tells what was done in this region, and stays where that was when a company moves';

/** Who did what in this database, when, and how it ended. Every capability uses it whose changes may be asked about later. */
export const AUDIT: Capability = {
  name: 'audit',
  uses: [],
  tables: {
    frontDoor: [AuditEntryEntity, AuditEpochEntity],
    region: [
      { entity: AuditEntryEntity, stays: STAYS },
      { entity: AuditEpochEntity, stays: STAYS },
    ],
  },
  // The operator's command raises the epoch, so that rows since the restore come after all that were read before it.
  afterRestore: { frontDoor: { covers: ['audit.exported'] }, region: { covers: ['audit.exported'] } },
  migrations: {
    frontDoor: [Audit1763164800020, AuditByTime1763164800037, AuditColumns1763164800220],
    region: [Audit1763164800020, AuditColumns1763164800220],
  },
  publishes: [RESTORE_MARKS],
  metrics: METRICS,
  parts: {
    'front-door': {
      bus: [AuditBus],
      workers: [AuditPartitions, RestoreMarks],
      providers: [{ provide: AUDIT_DB, useExisting: FRONT_DOOR_DB }, Audit, AuditExport],
      configure: (config) => settings(config),
    },
    region: {
      bus: [RegionAuditBus],
      workers: [AuditPartitions, RestoreMarks],
      providers: [{ provide: AUDIT_DB, useExisting: REGION_DB }, Audit, AuditExport],
      configure: (config) => settings(config, config.REGION),
    },
  },
};
