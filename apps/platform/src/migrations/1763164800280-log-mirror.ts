import { ForwardMigration } from '@codase/runtime/db';
import type { QueryRunner } from 'typeorm';

/**
 * The newest signed heads of the other bases, the same at the front door and in every region. The app may add and extend heads; it can take
 * none away, and the database lets none become smaller.
 */
export class LogMirror1763164800280 extends ForwardMigration {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table audit.log_mirror (
        base      text not null check (length(base) <= 16),
        log       integer not null check (log > 0),
        size      bigint not null check (size >= 0),
        subtrees  bytea not null check (length(subtrees) <= 32 * 64),
        note      text not null check (length(note) <= 1000),
        at        timestamptz not null,
        primary key (base, log)
      )`);
    await db.query(KEEP_HEADS);
    await db.query(`create trigger keep_head before insert or update on audit.log_mirror for each row execute function audit.keep_head()`);
    await db.query(`select audit.close('audit.log_mirror', 'delete, truncate, references, trigger')`);
  }
}

/** A base has 100 logs at most (`LOGS_OF_BASE`), each with a greater number. A head is followed by one that has its leaves and more. */
const KEEP_HEADS = `
  create function audit.keep_head() returns trigger language plpgsql as $$
  declare
    known integer;
    newest integer;
  begin
    if tg_op = 'UPDATE' then
      if (new.base, new.log) <> (old.base, old.log) or new.size < old.size or (new.size = old.size and new.subtrees <> old.subtrees) then
        raise check_violation using message = 'a head that is held is followed by one that extends it', constraint = 'log_mirror_extends';
      end if;
      return new;
    end if;
    select count(*), coalesce(max(log), 0) into known, newest from audit.log_mirror where base = new.base;
    if new.log < newest or (new.log > newest and known >= 100) then
      raise check_violation using message = 'a base has at most 100 logs, each with a greater number', constraint = 'log_mirror_log';
    end if;
    return new;
  end $$`;
