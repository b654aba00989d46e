import { many } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { CHANNEL_LOCK } from '../../feed/index.ts';
import { DELIVERY_STATES, tryHoldHomes } from '../../../foundation/regions/index.ts';
import type { WebhookRow } from '../webhook-row.ts';

/**
 * Locks what a change of these webhooks needs, without waiting. `locked` are the webhooks of which another transaction has locked a part:
 * the company (a step of a move), the channel (a drain), the webhook or its service (a change). A webhook in neither set is gone, or
 * moves.
 */
export async function hold(
  tx: EntityManager,
  webhooks: readonly WebhookRow[],
): Promise<{ free: ReadonlySet<string>; locked: ReadonlySet<string> }> {
  const ids = webhooks.map(({ webhook_id }) => webhook_id);
  const owners = webhooks.map(({ company_user_id }) => company_user_id);
  const companies = await tryHoldHomes(tx, owners, DELIVERY_STATES);
  const free = await many<{ webhook_id: string }>(tx)`
    with ours as materialized (
      select w.webhook_id, w.service_id from webhook w
       where w.webhook_id = any (${ids}) and w.company_user_id = any (${[...companies]})
         for no key update skip locked),
    services as materialized (
      select service_id from hold_services((select array_agg(distinct service_id) from ours)) service_id)
    select webhook_id from ours join services using (service_id)
     where pg_try_advisory_xact_lock_shared(${CHANNEL_LOCK}, hashtext(webhook_id))`;
  const taken = new Set(free.map(({ webhook_id }) => webhook_id));
  if (free.length === ids.length) return { free: taken, locked: new Set() };
  const stand = await many<{ webhook_id: string }>(tx)`
    select webhook_id from webhook w join profile p on p.user_id = w.company_user_id and p.home = any (${DELIVERY_STATES})
     where webhook_id = any (${ids.filter((id) => !taken.has(id))})`;
  return { free: taken, locked: new Set(stand.map(({ webhook_id }) => webhook_id)) };
}
