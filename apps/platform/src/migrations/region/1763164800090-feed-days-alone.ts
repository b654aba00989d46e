import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/** The class of the lock of the feed's partitions, the same as `PARTITIONS_LOCK` in the capability `feed`. */
const PARTITIONS_LOCK = 0x64617973;

/**
 * The functions feed_make_days and feed_drop_days of Feed1763164800005, which wait for the drains that are being sent: each of them holds
 * the feed, together with the next one for as long as callers come. Drains share an advisory lock, and a function that has something to
 * make or drop takes the lock before it touches a table. So it waits for the drains that were begun before, and the drains that come
 * meanwhile wait for it, or are refused. Nothing else waits.
 */
export class FeedDaysAlone1763164800090 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    for (const text of [ALONE, DAYS_BEFORE, MAKE_DAYS, DROP_DAYS]) await db.query(text);
  }
}

/** As in Feed1763164800005. */
const LENT = `language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '300ms' set timezone = 'UTC'`;

/** Waits for a little longer than an answer to a drain may take to leave. The wait for a table stays short: everybody waits behind it. */
const ALONE = `
  create function feed_alone() returns void language plpgsql as $$
  begin
    perform set_config('lock_timeout', '23s', true);
    perform pg_advisory_xact_lock(${PARTITIONS_LOCK});
    perform set_config('lock_timeout', '300ms', true);
  end $$`;

const DAYS_BEFORE = `
  create function feed_days_before(before date) returns setof text language sql as $$
    select c.relname::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'feed_day' and c.relkind = 'r' and c.relname ~ '^d[0-9]{8}$' and c.relname < 'd' || to_char(before, 'YYYYMMDD')
  $$`;

const MAKE_DAYS = `
  create or replace function feed_make_days(first date, last date) returns integer ${LENT} as $$
  declare
    day date;
    name text;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtext('feed_make_days'));
    for day in select generate_series(first, last, interval '1 day')::date loop
      name := 'd' || to_char(day, 'YYYYMMDD');
      continue when to_regclass('feed_day.' || name) is not null;
      continue when exists (select from feed_day.other where created_at >= day::timestamptz and created_at < (day + 1)::timestamptz);
      if made = 0 then
        perform feed_alone();
      end if;
      execute format('create table feed_day.%I (like feed_event)', name);
      execute format('alter table feed_event attach partition feed_day.%I for values from (%L) to (%L)', name, day::timestamptz,
        (day + 1)::timestamptz);
      made := made + 1;
    end loop;
    return made;
  end $$`;

const DROP_DAYS = `
  create or replace function feed_drop_days(before date) returns integer ${LENT} as $$
  declare
    name text;
    dropped integer := 0;
  begin
    if exists (select from feed_days_before(before)) then
      perform feed_alone();
    end if;
    for name in select feed_days_before(before) loop
      execute format('drop table feed_day.%I', name);
      dropped := dropped + 1;
    end loop;
    delete from feed_day.other where created_at < before::timestamptz;
    return dropped;
  end $$`;
