import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';
import type { FlowRow } from './flow-row.ts';

/** A capability that keeps what needs a flow and its versions, as runs do that are pinned to one. @spec D2-9 */
export interface FlowInUse {
  /** Whether something needs it, in the transaction that would delete it. The flow is locked: who starts a run holds it. */
  isFlowInUse(tx: EntityManager, flow: FlowRow): Promise<boolean>;
}
export const FLOW_IN_USE = hook<FlowInUse>('is a flow in use');
