import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';
import type { FlowRow } from './flow-row.ts';

/** A capability whose rows need a flow and its versions, such as runs, which are pinned to a version. @spec D2-9 */
export interface FlowInUse {
  /** Whether the flow is needed, called in the transaction that would delete it. The flow is locked, and a start of a run locks it too. */
  isFlowInUse(tx: EntityManager, flow: FlowRow): Promise<boolean>;
}
export const FLOW_IN_USE = hook<FlowInUse>('is a flow in use');
