import { REGION } from '@codase/contracts';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { CLIENT_REGISTRY } from '../../access/clients/index.ts';
import { IDENTITY } from '../../access/identity/index.ts';
import { AccountsAndGrants1763164800003 } from '../../migrations/front-door/1763164800003-accounts-and-grants.ts';
import { OwnersInKeys1763164800200 } from '../../migrations/region/1763164800200-owners-in-keys.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { COMPANY_ARRIVES, COMPANY_LEAVES } from './moves.hook.ts';
import { CompanyRows } from './company-rows.store.ts';
import { MigrateRegionHttp } from './migrate-region.http.ts';
import { MoveSource } from './move-source.service.ts';
import { MoveSteps } from './move-steps.service.ts';
import { MoveTarget } from './move-target.service.ts';
import { MoveTurns } from './move-turns.service.ts';
import { MovesBus } from './moves.bus.ts';
import { Moves } from './moves.service.ts';
import { MovesStore } from './moves.store.ts';
import { MovesWorker } from './moves.worker.ts';
import { RegionMovesBus } from './region-moves.bus.ts';
import { TransferredRows } from './transferred-rows.service.ts';
import { METRICS } from './metrics.ts';
import { RegionMoveEntity } from './region-move.entity.ts';
import { reconcileRestoredMoves } from './after-restore.service.ts';

const { takeRows, transferKey } = REGION;

/** Moves a company to another region: the front door leads, and the two regions do the steps. @gap D1-5.6 */
export const MOVES: Capability = {
  name: 'moves',
  uses: [AUDIT, REGIONS, PEERS, IDENTITY, CLIENT_REGISTRY],
  tables: { frontDoor: [RegionMoveEntity] },
  afterRestore: { frontDoor: { last: [reconcileRestoredMoves] } },
  // Rows come from other regions, so references between rows of companies carry the company.
  migrations: { frontDoor: [AccountsAndGrants1763164800003], region: [OwnersInKeys1763164800200] },
  metrics: METRICS,
  offers: [COMPANY_LEAVES, COMPANY_ARRIVES],
  parts: {
    'front-door': { bus: [MovesBus], workers: [MovesWorker], providers: [MovesStore, MoveSteps, Moves] },
    region: {
      http: [MigrateRegionHttp],
      bus: [RegionMovesBus, answeredBy({ takeRows }, MoveTarget), answeredBy({ transferKey }, TransferredRows)],
      providers: [MoveTurns, CompanyRows, TransferredRows, MoveSource, MoveTarget],
    },
  },
};
