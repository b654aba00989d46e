import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { FlowInUse, FlowRow } from '../../services/flows/index.ts';
import { hasOpenRuns } from './runs.store.ts';

/** A flow is needed while runs of it are open; each run keeps the definition that it is pinned to. @spec D2-9 */
@Injectable()
export class FlowsInUse implements FlowInUse {
  isFlowInUse(tx: EntityManager, { company_user_id, flow_id }: FlowRow): Promise<boolean> {
    return hasOpenRuns(tx, company_user_id, flow_id);
  }
}
