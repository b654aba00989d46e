import type { QueryRunner } from 'typeorm';

/** A column that names rows of one table, and the column of their owner: together they are the key that references name. */
export interface OwnedKey {
  table: string;
  owner: string;
  key: string;
  /** The name of the unique index. An index that has this name already has the same columns, or fewer, and is replaced. */
  index: string;
}

/** A column of a table that has an owner, and the table whose rows it names. */
export interface OwnedReference {
  table: string;
  owner?: string;
  column: string;
  to: OwnedKey;
  onDelete?: 'cascade' | 'no action';
  /** `cascade` where a row is given to another owner together with the rows that name it. */
  onUpdate?: 'cascade' | 'no action';
}

/** How long a statement may wait for readers and writers that were there before it. Nobody waits for such a statement. */
const PATIENT_MS = 10 * 60_000;

/**
 * Lets references carry the owner of both rows. Tables may be large, so nothing here stops reads or writes for longer than a moment: an
 * index is built concurrently, and a reference is added unchecked, which holds for new rows at once, and then checked without a lock on
 * writes. Therefore all of it runs in no transaction. It may be cut off at any statement, and then goes on with what is not done.
 */
export async function putOwnersInKeys(db: QueryRunner, keys: readonly OwnedKey[], references: readonly OwnedReference[]): Promise<void> {
  for (const key of keys) await ensureUnique(db, key);
  for (const reference of references) await ensureReference(db, reference);
}

async function ensureUnique(db: QueryRunner, { table, owner, key, index }: OwnedKey): Promise<void> {
  if ((await stateOf(db, index))?.is_unique) return;
  const making = `${index}_unique`;
  const waitedMs = ((await db.query('show lock_timeout')) as [{ lock_timeout: string }])[0].lock_timeout;
  await db.query(`set lock_timeout = ${PATIENT_MS}`);
  try {
    if ((await stateOf(db, making))?.is_valid === false) await db.query(`drop index concurrently ${making}`);
    await db.query(`create unique index concurrently if not exists ${making} on ${table} (${owner}, ${key})`);
    await db.query(`drop index concurrently if exists ${index}`);
  } finally {
    await db.query(`set lock_timeout = '${waitedMs}'`);
  }
  await db.query(`alter index ${making} rename to ${index}`);
}

const stateOf = async (db: QueryRunner, index: string): Promise<{ is_unique: boolean; is_valid: boolean } | undefined> =>
  (
    (await db.query(`select indisunique as is_unique, indisvalid as is_valid from pg_index where indexrelid = to_regclass($1)`, [
      index,
    ])) as { is_unique: boolean; is_valid: boolean }[]
  )[0];

/** Makes a reference with the owner, in place of one of the same name, which holds until the new one was checked. */
async function ensureReference(db: QueryRunner, reference: OwnedReference): Promise<void> {
  const { table, owner = reference.to.owner, column, to, onDelete = 'cascade', onUpdate = 'no action' } = reference;
  const name = `${table}_${column}_fkey`;
  const making = `${name}_owner`;
  if ((await columnsOf(db, table, name)) === 2) return;
  if ((await columnsOf(db, table, making)) === 0) {
    await db.query(`
      alter table ${table} add constraint ${making} foreign key (${owner}, ${column})
        references ${to.table} (${to.owner}, ${to.key}) on delete ${onDelete} on update ${onUpdate} not valid`);
  }
  await db.query(`alter table ${table} validate constraint ${making}`);
  await db.startTransaction();
  try {
    await db.query(`alter table ${table} drop constraint if exists ${name}`);
    await db.query(`alter table ${table} rename constraint ${making} to ${name}`);
    await db.commitTransaction();
  } catch (error) {
    await db.rollbackTransaction();
    throw error;
  }
}

/** Returns how many columns a constraint has; 0 when there is none of this name. */
async function columnsOf(db: QueryRunner, table: string, constraint: string): Promise<number> {
  const found = (await db.query(`select cardinality(conkey) as columns from pg_constraint where conrelid = $1::regclass and conname = $2`, [
    table,
    constraint,
  ])) as { columns: number }[];
  return found[0]?.columns ?? 0;
}
