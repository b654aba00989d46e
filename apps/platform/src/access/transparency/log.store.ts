import { column, execute, one, type Db } from '@codase/runtime/db';
import type { AuditPosition } from '../../foundation/audit/index.ts';
import { MerkleTree } from './merkle-tree.ts';

/** A leaf that is to be added. */
interface NewLeaf extends AuditPosition {
  hash: Buffer;
}

/** A log, up to its last leaf. */
interface LogHead {
  log: number;
  /** Undefined when what is stored is no tree. */
  tree: MerkleTree | undefined;
}

/** The lock of the one process that adds leaves: "tlog" in ASCII. */
const APPEND_LOCK = 0x74_6c_6f_67;

/** Lets one process add leaves, until the transaction ends. Returns whether it is this one. */
export const lockLog = async (tx: Db): Promise<boolean> =>
  (await one<{ locked: boolean }>(tx)`select pg_try_advisory_xact_lock(${APPEND_LOCK}) as locked`)!.locked;

/** Returns the log of the present epoch. It is empty after a restore of the database, until a leaf is added. */
export async function readHead(db: Db): Promise<LogHead> {
  const found = await one<{ log: number; size: string | null; subtrees: Buffer | null }>(db)`
    select e.epoch as log, l.number + 1 as size, l.subtrees from audit.epoch e
      left join lateral (select number, subtrees from audit.log_leaf where log = e.epoch order by number desc limit 1) l on true`;
  const { log, size, subtrees } = found!;
  return { log, tree: size === null ? MerkleTree.empty() : MerkleTree.from(Number(size), subtrees ?? Buffer.alloc(0)) };
}

/** Returns the position of the entry that was logged last, in whichever log; undefined when there is none. */
export const lastLogged = (db: Db): Promise<AuditPosition | undefined> =>
  one<AuditPosition>(db)`select epoch, txid, seq from audit.log_leaf order by log desc, number desc limit 1`;

/** Adds leaves to the log of the present epoch. The caller holds the lock, and `tree` has them already. */
export async function addLeaves(tx: Db, leaves: readonly NewLeaf[], tree: MerkleTree): Promise<void> {
  const column = <T>(of: (leaf: NewLeaf) => T) => leaves.map(of);
  await execute(tx)`
    insert into audit.log_leaf (hash, epoch, txid, seq, subtrees)
    select decode(hash, 'hex'), epoch, txid, seq, case when nth = ${leaves.length} then ${tree.packed}::bytea end
      from unnest(
        ${column(({ hash }) => hash.toString('hex'))}::text[],
        ${column(({ epoch }) => epoch)}::integer[],
        ${column(({ txid }) => txid)}::bigint[],
        ${column(({ seq }) => seq)}::bigint[]) with ordinality as leaf (hash, epoch, txid, seq, nth)
     order by nth`;
}

/** Returns the hashes of at most `limit` leaves of a log, from the one with a number. */
export const leavesFrom = (db: Db, log: number, number: number, limit: number): Promise<Buffer[]> =>
  column<Buffer>(db)`
    select hash from audit.log_leaf where log = ${log} and number >= ${number} and number < ${number + limit} order by number`;

/** Returns the first end of a batch in a range of leaves: its size, and the roots of its complete subtrees. */
export async function batchEndFrom(db: Db, log: number, from: number, to: number): Promise<{ size: number; subtrees: Buffer } | undefined> {
  const found = await one<{ number: string; subtrees: Buffer }>(db)`
    select number, subtrees from audit.log_leaf
     where log = ${log} and number >= ${from} and number < ${to} and subtrees is not null order by number limit 1`;
  return found && { size: Number(found.number) + 1, subtrees: found.subtrees };
}
