import type { PluginChoice, PluginSnapshot } from '@cds/contracts';
import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';

/** What a request row keeps of its plugin: which one it is, and how it described the field when the row was published. @spec D1-2.6 */
export interface FieldPlugin extends PluginChoice {
  name: string;
  snapshot: PluginSnapshot;
}

/** A capability that knows the plugins of companies. */
export interface FieldPlugins {
  /** What a row keeps of a plugin, which stays until the transaction ends; or why there is none, in words. */
  describe(tx: EntityManager, company_user_id: string, choice: PluginChoice): Promise<FieldPlugin | string>;
}
export const FIELD_PLUGINS = hook<FieldPlugins>('plugins of request fields');
