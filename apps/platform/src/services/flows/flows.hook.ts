import type { PluginSnapshot } from '@codase/domain/flow-language';
import type { Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { hook, requirement } from '../../kit/hooks.ts';
import type { FlowRow } from './flow-row.ts';

/** A capability whose rows need a flow and its versions, such as runs, which are pinned to a version. @spec D2-9 */
export interface FlowInUse {
  /** Whether the flow is needed, called in the transaction that would delete it. The flow is locked, and a start of a run locks it too. */
  isFlowInUse(tx: EntityManager, flow: FlowRow): Promise<boolean>;
}
export const FLOW_IN_USE = hook<FlowInUse>('is a flow in use');

/** The current descriptions of plugins, by plugin id: field types by name, or null while no description could be fetched. @spec D2-2.6 */
export type PluginDescriptions = ReadonlyMap<string, ReadonlyMap<string, PluginSnapshot> | null>;

/** A capability that knows the plugins of companies. */
export interface PluginSnapshots {
  /** Returns the descriptions of those of the plugins that the company has, by their ids. */
  snapshotsOf(db: Db, company_user_id: string, plugin_ids: readonly string[]): Promise<PluginDescriptions>;
}
export const PLUGIN_SNAPSHOTS = requirement<PluginSnapshots>('descriptions of plugins');
