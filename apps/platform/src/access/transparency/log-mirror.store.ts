import { column, execute, one, type Db } from '@codase/runtime/db';
import type { MerkleTree } from './merkle-tree.ts';

/** The newest head that is held of another base. */
interface KeptHead {
  log: number;
  size: number;
  subtrees: Buffer;
}

/** A head that was checked and is to be held. */
interface CheckedHead {
  base: string;
  log: number;
  tree: MerkleTree;
  note: string;
  at: Date;
}

/** Returns the head of the newest log of another base; undefined when none is held. */
export async function keptHeadOf(db: Db, base: string): Promise<KeptHead | undefined> {
  const found = await one<{ log: number; size: string; subtrees: Buffer }>(db)`
    select log, size, subtrees from audit.log_mirror where base = ${base} order by log desc limit 1`;
  return found && { ...found, size: Number(found.size) };
}

/**
 * Holds a head in place of the one that it was checked against. When another replica has held a newer one meanwhile, that one stays: this
 * head was not compared with it.
 */
export const keepHead = (db: Db, { base, log, tree, note, at }: CheckedHead, checkedFrom: number) =>
  execute(db)`
    insert into audit.log_mirror as kept (base, log, size, subtrees, note, at)
    values (${base}, ${log}, ${tree.size}, ${tree.packed}::bytea, ${note}, ${at})
    on conflict (base, log) do update
      set size = excluded.size, subtrees = excluded.subtrees, note = excluded.note, at = excluded.at
      where kept.size = ${checkedFrom} and (kept.size < excluded.size or kept.at <= excluded.at)`;

/** Returns the signed heads that are held of a base, the newest log first. */
export const notesOf = (db: Db, base: string): Promise<string[]> =>
  column<string>(db)`select note from audit.log_mirror where base = ${base} order by log desc`;
