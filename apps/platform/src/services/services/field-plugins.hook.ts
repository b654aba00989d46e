import type { PluginChoice, PluginSnapshot } from '@codase/contracts';
import type { EntityManager } from 'typeorm';
import { requirement } from '../../kit/hooks.ts';

/**
 * The plugin of a request row, as the row stores it: which plugin it is, and how it described the field when the row was published.
 * @spec D1-2.6
 */
export interface FieldPlugin extends PluginChoice {
  name: string;
  snapshot: PluginSnapshot;
}

/** A capability that knows the plugins of companies. */
export interface FieldPlugins {
  /**
   * Returns what a row stores of a plugin, which cannot be deleted until the transaction ends; or the reason why there is no such plugin,
   * as text.
   */
  describe(tx: EntityManager, company_user_id: string, choice: PluginChoice): Promise<FieldPlugin | string>;
}
export const FIELD_PLUGINS = requirement<FieldPlugins>('plugins of request fields');
