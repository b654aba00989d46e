import type { QueryRunner } from 'typeorm';

/**
 * Creates the audit table: who did what, when, and how it ended. The app may only add and read rows. The table has a schema of its own, so
 * that rights on everything in `public` do not include it. It has no foreign keys: a row stays when the object that it names is deleted. A
 * partition holds one month, and is dropped as a whole.
 */
export async function makeAuditTable(db: QueryRunner): Promise<void> {
  await db.query(`create schema audit`);
  await db.query(`create schema audit_month`);
  // The epoch grows each time an older copy of this database is restored, so that rows written afterwards are numbered behind all rows that
  // were read before.
  await db.query(`create table audit.epoch (epoch integer not null)`);
  await db.query(`insert into audit.epoch values (1)`);
  await db.query(`create function audit.current_epoch() returns integer stable language sql as 'select epoch from audit.epoch'`);
  // Transactions may commit in another order than they draw numbers. A reader that follows the table reads up to the oldest transaction
  // that is still open, in the order (epoch, txid, seq), and so misses no row.
  await db.query(`
    create table audit.entry (
      epoch       integer not null default audit.current_epoch(),
      txid        bigint not null default pg_current_xact_id()::text::bigint,
      seq         bigint generated always as identity,
      at          timestamptz not null,
      act         text not null,
      outcome     text not null,
      initiator   text,
      client_id   text,
      address     text,
      account_id  text,
      object      text,
      details     jsonb not null default '{}',
      primary key (epoch, txid, seq, at)
    ) partition by range (at)`);
  await db.query(`create index entry_of_account on audit.entry (account_id, epoch, txid, seq) where account_id is not null`);
  await db.query(`create table audit_month.other partition of audit.entry default`);
  for (const text of [CLOSE, MAKE_MONTHS, DROP_MONTHS, RAISE_EPOCH]) await db.query(text);
  await db.query(`select audit.close('audit.entry', 'update, delete, truncate, references, trigger')`);
  await db.query(`select audit.close('audit.epoch', 'insert, update, delete, truncate, references, trigger')`);
  await db.query(`select audit.close('audit_month.other', 'all')`);
}

/**
 * Bounds what a thief of the app's password can do to the audit. A row with an epoch or a transaction of the thief's choice would lead
 * every reader past all later rows, and a row of many megabytes, or of a time that no date can hold, would make each export fail. So the
 * app sets the columns that tell of an act, and the database itself those by which rows are ordered. Only the owner raises the epoch.
 */
export async function boundAuditRows(db: QueryRunner): Promise<void> {
  // Rows that are there get the time of the migration: when each was written is known for later ones only.
  await db.query(`alter table audit.entry add column written_at timestamptz not null default now()`);
  // Earlier rows are not checked, because nothing deletes a row of the audit.
  await db.query(`
    alter table audit.entry
      add constraint entry_at check (at >= '2000-01-01T00:00:00Z' and at < '2200-01-01T00:00:00Z') not valid,
      add constraint entry_size check (
        greatest(length(act), length(outcome), length(initiator), length(client_id), length(address), length(account_id), length(object))
          <= 200 and octet_length(details::text) <= 65536) not valid,
      add constraint entry_details check (jsonb_typeof(details) = 'object') not valid`);
  for (const text of [NAME_COLUMNS, PASS_FORGED_ROWS, MAKE_BOUNDED_MONTHS, RAISE_EPOCH_AS_OWNER]) await db.query(text);
}

/** Replaces the right to add rows by the right to add rows with these columns, for whoever has it. */
const NAME_COLUMNS = `
  do $$
  declare
    app regrole;
  begin
    for app in
      select a.grantee from pg_class c, aclexplode(c.relacl) a
       where c.oid = 'audit.entry'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
    loop
      execute format('revoke insert on audit.entry from %s', app);
      execute format('grant insert (%s) on audit.entry to %s',
        'at, act, outcome, initiator, client_id, address, account_id, object, details', app);
    end loop;
  end $$`;

/**
 * Raises the epoch when rows have numbers that no transaction of this server has reached: they were forged, or come from another server.
 * New rows are then read behind them.
 */
const PASS_FORGED_ROWS = `
  update audit.epoch set epoch = epoch + 1
   where exists (select from audit.entry e where e.epoch = audit.epoch.epoch
                    and e.txid > pg_snapshot_xmax(pg_current_snapshot())::text::bigint)`;

/** Revokes rights on a table from every role but its owner, whatever the roles are called. */
const CLOSE = `
  create function audit.close(closed regclass, rights text) returns void language plpgsql as $$
  declare
    who text;
  begin
    for who in
      select distinct case when a.grantee = 0 then 'public' else a.grantee::regrole::text end
        from pg_class c, aclexplode(c.relacl) a where c.oid = closed and a.grantee <> c.relowner
    loop
      execute format('revoke %s on %s from %s', rights, closed, who);
    end loop;
  end $$`;

/**
 * The options of functions that change tables. The app itself may only add and read rows, so these functions run with the rights of the
 * owner. They never wait long for a lock.
 */
const LENT = `language plpgsql security definer set search_path = public, pg_temp set lock_timeout = '300ms' set timezone = 'UTC'`;

/**
 * Creates the partitions of months. Each one is attached and not created in place, because that would lock out every writer. A month that
 * already has rows in `other` gets no partition.
 */
const makeMonths = ({ until, like }: { until: string; like: string }) => `
  create or replace function audit_make_months(first date, last date) returns integer ${LENT} as $$
  declare
    month date;
    name text;
    made integer := 0;
  begin
    perform pg_advisory_xact_lock(hashtext('audit_make_months'));
    for month in select generate_series(date_trunc('month', first), ${until}, interval '1 month')::date loop
      name := 'm' || to_char(month, 'YYYYMM');
      continue when to_regclass('audit_month.' || name) is not null;
      continue when exists
        (select from audit_month.other where at >= month::timestamptz and at < (month + interval '1 month')::timestamptz);
      execute format('create table audit_month.%I (like audit.entry ${like})', name);
      execute format('alter table audit.entry attach partition audit_month.%I for values from (%L) to (%L)', name, month::timestamptz,
        (month + interval '1 month')::timestamptz);
      perform audit.close(format('audit_month.%I', name)::regclass, 'all');
      made := made + 1;
    end loop;
    return made;
  end $$`;

const MAKE_MONTHS = makeMonths({ until: 'least(last, first + 366)', like: 'including defaults' });
/** No month is made that begins in more than ten years: each partition makes every read of the audit slower. */
const MAKE_BOUNDED_MONTHS = makeMonths({
  until: "least(last, first + 366, (now() + interval '10 years')::date)",
  like: 'including defaults including constraints',
});

/** Drops the partitions of old months. The last year is kept whatever date is given, so that nobody with the app's role can delete it. */
const DROP_MONTHS = `
  create function audit_drop_months(before date) returns integer ${LENT} as $$
  declare
    month date := date_trunc('month', least(before, (now() - interval '1 year')::date));
    name text;
    dropped integer := 0;
  begin
    for name in
      select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = 'audit_month' and c.relkind = 'r' and c.relname ~ '^m[0-9]{6}$' and c.relname < 'm' || to_char(month, 'YYYYMM')
    loop
      execute format('drop table audit_month.%I', name);
      dropped := dropped + 1;
    end loop;
    delete from audit_month.other where at < month::timestamptz;
    return dropped;
  end $$`;

/** Raises the epoch above `behind`, and returns the new one. An epoch never goes back. */
const RAISE_EPOCH = `
  create function audit_raise_epoch(behind integer) returns integer ${LENT} as $$
  declare
    raised integer;
  begin
    update audit.epoch set epoch = greatest(epoch, behind) + 1 returning epoch into raised;
    return raised;
  end $$`;

/**
 * Does the same with the rights of the caller, so that only the owner of the table can. No database is a thousand restores behind, whatever
 * the bus says of it: with a higher number there would soon be no epoch left.
 */
const RAISE_EPOCH_AS_OWNER = `
  create or replace function audit_raise_epoch(behind integer) returns integer language sql security invoker as $$
    update audit.epoch set epoch = greatest(epoch, least(behind, epoch + 1000)) + 1 returning epoch
  $$`;
