import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The leaves of the transparency log, and the salt of each entry of the audit: the same at the front door and in every region. The log
 * begins with the entries that are written from now on. The app may add leaves, which the database numbers, and change none.
 */
export class TransparencyLog1763164800222 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    // Two statements, because a default that is added with the column would write every row of the audit anew.
    await db.query(`alter table audit.entry add column salt uuid`);
    await db.query(`alter table audit.entry alter column salt set default gen_random_uuid()`);
    await db.query(`
      create table audit.log_leaf (
        log       integer not null,
        number    bigint not null,
        hash      bytea not null check (length(hash) = 32),
        epoch     integer not null,
        txid      bigint not null,
        seq       bigint not null,
        subtrees  bytea check (length(subtrees) <= 32 * 64),
        primary key (log, number)
      )`);
    for (const text of [NUMBER_LEAVES, NAME_COLUMNS]) await db.query(text);
    await db.query(`create trigger number_leaf before insert on audit.log_leaf for each row execute function audit.number_leaf()`);
    await db.query(`select audit.close('audit.log_leaf', 'update, delete, truncate, references, trigger')`);
  }
}

/**
 * Gives a leaf the next number in the log of the present epoch, whatever the statement says. Leaves are added in the order of entries that
 * exist: with a position of their own choice, one leaf could make the log pass over all later entries.
 */
const NUMBER_LEAVES = `
  create function audit.number_leaf() returns trigger language plpgsql as $$
  declare
    last audit.log_leaf;
  begin
    select * into last from audit.log_leaf order by log desc, number desc limit 1;
    if (new.epoch, new.txid, new.seq) <= (last.epoch, last.txid, last.seq)
      or not exists (select from audit.entry where epoch = new.epoch and txid = new.txid and seq = new.seq) then
      raise check_violation using message = 'a leaf of the log stands for the next entry of the audit', constraint = 'log_leaf_position';
    end if;
    new.log := audit.current_epoch();
    new.number := case when last.log = new.log then last.number + 1 else 0 end;
    return new;
  end $$`;

/** Replaces the right to add rows by the right to add rows with these columns, for whoever has it. */
const NAME_COLUMNS = `
  do $$
  declare
    app regrole;
  begin
    for app in
      select a.grantee from pg_class c, aclexplode(c.relacl) a
       where c.oid = 'audit.log_leaf'::regclass and a.privilege_type = 'INSERT' and a.grantee not in (0, c.relowner)
    loop
      execute format('revoke insert on audit.log_leaf from %s', app);
      execute format('grant insert (hash, epoch, txid, seq, subtrees) on audit.log_leaf to %s', app);
    end loop;
  end $$`;
