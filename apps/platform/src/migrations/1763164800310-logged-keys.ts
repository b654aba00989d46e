import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The public keys that the transparency log commits to, the same at the front door and in every region. Triggers of the tables that have
 * the keys list them and take them out; the app can only note where in the log a key stands.
 */
export class LoggedKeys1763164800310 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table audit.logged_key (
        kind        text not null check (kind in ('account', 'service', 'seal', 'device')),
        owner       text not null check (length(owner) <= 100),
        key_sha256  text not null check (key_sha256 ~ '^[0-9a-f]{64}$'),
        salt        uuid not null default gen_random_uuid(),
        at          timestamptz,
        entry_salt  uuid,
        epoch       integer,
        txid        bigint,
        seq         bigint,
        log         integer,
        leaf        bigint,
        primary key (kind, owner, key_sha256)
      )`);
    // An account and a service have one key for good: another one that a row was given is never logged. @spec D1-6.1
    await db.query(`create unique index logged_key_owner on audit.logged_key (kind, owner) where kind in ('account', 'service')`);
    await db.query(`create index logged_key_waiting on audit.logged_key ((coalesce(epoch, 0)))`);
    await db.query(`create index logged_key_entry on audit.logged_key (epoch, txid, seq) where log is null`);
    // The ends of batches, which have the roots that a proof is computed from.
    await db.query(`create index log_leaf_end on audit.log_leaf (log, number) where subtrees is not null`);
    for (const text of [KEY_HASH, LIST_KEY]) await db.query(text);
    await db.query(`select audit.close('audit.logged_key', 'insert, delete, truncate, references, trigger')`);
    await db.query(NAME_COLUMNS);
  }
}

/** Returns the SHA-256 of a key in hexadecimal, from the form in which its table has it; null for what is no key. */
const KEY_HASH = `
  create function audit.key_hash(key text, form text) returns text language sql immutable as $$
    select case
      when form = 'spki' and key ~ '^[A-Za-z0-9+/]+={0,2}$' and length(key) % 4 = 0 then encode(sha256(decode(key, 'base64')), 'hex')
      when form = 'thumbprint' and key ~ '^[A-Za-z0-9_-]{43}$' then encode(decode(translate(key, '-_', '+/') || '=', 'base64'), 'hex')
      when form = 'sha256' then key
    end
  $$`;

/**
 * Lists the key of a new row, and takes out that of a deleted one, with its salt: nobody can tell any more what its leaf stands for. The
 * trigger names the kind, the columns of owner and key, and the form of the key. It runs as the owner of the database, since the app may
 * neither list keys nor take them out.
 */
const LIST_KEY = `
  create function audit.list_key() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
    listed text := changed ->> tg_argv[1];
    hash text := audit.key_hash(changed ->> tg_argv[2], tg_argv[3]);
  begin
    if tg_op = 'DELETE' then
      delete from audit.logged_key k
       where k.kind = tg_argv[0] and k.owner = listed and (k.key_sha256 = hash or k.kind in ('account', 'service'));
    elsif listed is not null and hash is not null then
      insert into audit.logged_key (kind, owner, key_sha256) values (tg_argv[0], listed, hash) on conflict do nothing;
    end if;
    return null;
  end $$`;

/** Replaces the right to change rows by the right to note where a key stands, for whoever has it. */
const NAME_COLUMNS = `
  do $$
  declare
    app regrole;
  begin
    for app in
      select a.grantee from pg_class c, aclexplode(c.relacl) a
       where c.oid = 'audit.logged_key'::regclass and a.privilege_type = 'UPDATE' and a.grantee not in (0, c.relowner)
    loop
      execute format('revoke update on audit.logged_key from %s', app);
      execute format('grant update (at, entry_salt, epoch, txid, seq, log, leaf) on audit.logged_key to %s', app);
    end loop;
  end $$`;
