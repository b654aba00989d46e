import type { DataSource, EntityManager } from 'typeorm';

export interface Sql {
  text: string;
  values: unknown[];
  /** The name under which each connection keeps the planned statement; see `prepared`. */
  name?: string;
}

/** SQL with its parameters in place: sql`select … where id = ${id}`. Every ${} becomes a bind parameter, never text. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return { text: parts.reduce((text, part, i) => `${text}$${i}${part}`), values };
}

/**
 * Marks a statement that each connection parses and plans once: for the few that run with every change and cost more to plan than to run. A
 * name stands for one text. The statement must list its columns: one that returns `*` fails on open connections when a migration adds a
 * column.
 */
export const prepared = (name: string, { text, values }: Sql): Sql => ({ text, values, name });

/** A transaction, or the data source itself when a single statement is all. */
export type Db = EntityManager | DataSource;

/**
 * Returns all rows, whatever the verb: TypeORM's plain query() returns rows for INSERT and [rows, count] for UPDATE and DELETE. Statements
 * of one transaction that are begun without waiting for each other are sent at once, and run in the order in which they were begun.
 */
export async function many<Row>(db: Db, { text, values, name }: Sql): Promise<Row[]> {
  const inTransaction = 'queryRunner' in db ? db.queryRunner : undefined;
  const runner = inTransaction ?? ('createQueryRunner' in db ? db : db.connection).createQueryRunner();
  try {
    const result = await runner.query(name === undefined ? text : named(name, text), values, true);
    return result.records as Row[];
  } finally {
    if (!inTransaction) await runner.release();
  }
}

export const one = async <Row>(db: Db, query: Sql): Promise<Row | undefined> => (await many<Row>(db, query))[0];

/** Runs a statement whose rows, if it has any, nobody reads. */
export async function execute(db: Db, query: Sql): Promise<void> {
  await many(db, query);
}

/**
 * Waits for several statements of a transaction that were begun at once. When one fails, all behind it fail too, so the first failure in
 * this order is thrown: it says why.
 */
export async function together<T extends readonly unknown[]>(begun: readonly [...T]): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const ended = await Promise.allSettled(begun);
  return ended.map((end) => {
    if (end.status === 'rejected') throw end.reason;
    return end.value;
  }) as { -readonly [K in keyof T]: Awaited<T[K]> };
}

/** A named statement in place of its text. TypeORM knows texts only and hands this to the driver as it is, and the driver takes it. */
const named = (name: string, text: string) => ({ name, text }) as unknown as string;
