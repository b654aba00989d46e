import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * Work that was begun before a company leaves is settled before its rows are copied: deliveries end and their results are written down, and
 * the leases of drains move along. @gap D1-5.6
 */
export class SettledBeforeLeaving1763164800013 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // settling: nothing new is begun, and the results of deliveries are still written. leaving, arriving: nothing is written.
    await db.query(`
      alter table profile
        drop constraint profile_home_check,
        add constraint profile_home_check check (home in ('here', 'settling', 'leaving', 'arriving'))`);
    await db.query(`create index profile_settling on profile (user_id) where home = 'settling'`);
    // Whether the company of the webhook is leaving and no delivery of the webhook is under way any more.
    await db.query(`alter table webhook add is_settled boolean not null default false`);

    await db.query(`alter table feed_lease add company_user_id text`);
    await db.query(`
      update feed_lease l set company_user_id = coalesce(
        (select company_user_id from service where service_id = l.channel),
        (select company_user_id from webhook where webhook_id = l.channel))`);
    await db.query(`delete from feed_lease where company_user_id is null`);
    await db.query(`alter table feed_lease alter company_user_id set not null`);
    await db.query(`create index feed_lease_of_company on feed_lease (company_user_id)`);

    await db.query(`drop function hold_homes(text[])`);
    await db.query(`create function hold_homes(users text[], states text[] default array['here']) ${BODY(`any (states)`)}`);
  }
}

/** The body of hold_homes, as in HomeLock1763164800011, for users in the given states. */
const BODY = (states: string) => `
  returns setof text language plpgsql volatile rows 10 as $$
  declare
    held text[];
  begin
    select array_agg(u) into held from unnest(users) u where pg_try_advisory_xact_lock_shared(${0x686f6d65}, hashtext(u));
    return query select p.user_id from profile p where p.user_id = any (held) and p.home = ${states};
  end $$`;
