import { PLUGIN_CALL, PLUGIN_CALLS_PER_MINUTE, Refusal } from '@codase/contracts';
import { one, type Db } from '@codase/runtime/db';
import { LessThanOrEqual, type EntityManager } from 'typeorm';
import { type PluginEntity, PluginCallEntity } from './plugin.entity.ts';
import type { OwnPlugin } from './plugins.store.ts';

const WINDOW_MS = 60_000;
/** After this time a call no longer counts as in flight, even if it was not ended: its process died. */
const ABANDONED_MS = 3 * PLUGIN_CALL.seconds * 1000;

/** Finds a plugin by its id only and locks it, so that its calls begin one after the other. */
export const lockForCall = (tx: EntityManager, plugin_id: string) =>
  one<PluginEntity>(tx)`select * from plugin where plugin_id = ${plugin_id} for no key update`;

/** Whether a call of a plugin has begun already. The plugin is locked. */
export const hasBegun = (tx: EntityManager, call_id: string, plugin_id: string): Promise<boolean> =>
  tx.getRepository(PluginCallEntity).existsBy({ call_id, plugin_id });

/** Adds a call, or refuses it when too many calls are in flight or were begun in the last minute. The plugin is locked. @spec D2-8 */
export async function takeCall(
  tx: EntityManager,
  { call_id, plugin_id }: { call_id: string; plugin_id: string },
  now: Date,
): Promise<void> {
  const [windowBegan, abandonedBefore] = [before(now, WINDOW_MS), before(now, ABANDONED_MS)];
  const calls = tx.getRepository(PluginCallEntity);
  await calls.delete({ plugin_id, began_at: LessThanOrEqual(windowBegan) });
  const { in_flight, called, oldest } = (await one<{ in_flight: number; called: number; oldest: Date | null }>(tx)`
    select count(*) filter (where ended_at is null and began_at > ${abandonedBefore})::integer as in_flight,
           count(*)::integer as called, min(began_at) as oldest
      from plugin_call where plugin_id = ${plugin_id}`)!;
  if (in_flight >= PLUGIN_CALL.in_flight) throw new Refusal('plugin.busy').after(1);
  if (called >= PLUGIN_CALLS_PER_MINUTE) throw new Refusal('plugin.rate_limited').after(secondsUntil(oldest!, now));
  await calls.insert({ call_id, plugin_id, began_at: now });
}

/** Ends a call and returns its plugin; undefined when the call has ended already or never began. */
export const endCall = (db: Db, call_id: string, now: Date) => one<OwnPlugin>(db)`
  update plugin_call c set ended_at = ${now} from plugin p
   where c.call_id = ${call_id} and c.ended_at is null and p.plugin_id = c.plugin_id
  returning p.plugin_id, p.company_user_id`;

/** Returns the plugin of a call that is under way. */
export const pluginOfCall = (db: Db, call_id: string) => one<OwnPlugin>(db)`
  select p.plugin_id, p.company_user_id from plugin_call c join plugin p using (plugin_id)
   where c.call_id = ${call_id} and c.ended_at is null`;

const before = (now: Date, ms: number) => new Date(now.getTime() - ms);
const secondsUntil = (oldest: Date, now: Date) => Math.max(1, Math.ceil((oldest.getTime() + WINDOW_MS - now.getTime()) / 1000));
