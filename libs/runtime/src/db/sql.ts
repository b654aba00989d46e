import type { DataSource, EntityManager } from 'typeorm';

export interface Sql {
  text: string;
  values: unknown[];
  /** The name under which each connection keeps the planned statement; see `prepared`. */
  name?: string;
}

/** SQL with its parameters in place: sql`select … where id = ${id}`. Every ${} becomes a bind parameter, never text. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return { text: textOf(parts), values };
}

/** The texts of the statements in the code, each put together once: connections look for them among what they have prepared. */
const TEXTS = new WeakMap<TemplateStringsArray, string>();

function textOf(parts: TemplateStringsArray): string {
  const text = TEXTS.get(parts) ?? parts.reduce((before, part, i) => `${before}$${i}${part}`);
  TEXTS.set(parts, text);
  return text;
}

/**
 * Marks a statement that each connection parses and plans once: for the few that run with every change and cost more to plan than to run. A
 * name stands for one text. The statement must list its columns: one that returns `*` fails on open connections when a migration adds a
 * column.
 */
export const prepared = (name: string, { text, values }: Sql): Sql => ({ text, values, name });

/** A transaction, or the data source itself when a single statement is all. */
export type Db = EntityManager | DataSource;

/** Runs the statement that follows it in backticks. */
type Statement<Result> = (...statement: Parameters<typeof sql>) => Promise<Result>;

/** What to run: a statement, or what `prepared` names the one that follows the call in backticks. */
type Given = Sql | string | undefined;

const runner = <Result>(run: (query: Sql) => Promise<Result>, given: Given): Promise<Result> | Statement<Result> =>
  typeof given === 'object' ? run(given) : (parts, ...values) => run({ ...sql(parts, ...values), ...(given && { name: given }) });

/**
 * Returns all rows, whatever the verb: many<Row>(db)`select … where id = ${id}`. Statements of one transaction that are begun without
 * waiting for each other are sent at once, and run in the order in which they were begun.
 */
export function many<Row>(db: Db, prepared?: string): Statement<Row[]>;
export function many<Row>(db: Db, query: Sql): Promise<Row[]>;
export function many<Row>(db: Db, given?: Given) {
  return runner((query) => rowsOf<Row>(db, query), given);
}

export function one<Row>(db: Db, prepared?: string): Statement<Row | undefined>;
export function one<Row>(db: Db, query: Sql): Promise<Row | undefined>;
export function one<Row>(db: Db, given?: Given) {
  return runner(async (query) => (await rowsOf<Row>(db, query))[0], given);
}

/** Runs a statement whose rows, if it has any, nobody reads. */
export function execute(db: Db, prepared?: string): Statement<void>;
export function execute(db: Db, query: Sql): Promise<void>;
export function execute(db: Db, given?: Given) {
  return runner<void>(async (query) => void (await rowsOf(db, query)), given);
}

/** Returns the values of a statement with one column. */
export const column =
  <Value>(db: Db): Statement<Value[]> =>
  async (...statement) =>
    (await rowsOf<Record<string, Value>>(db, sql(...statement))).flatMap((row) => Object.values(row));

/** Returns whether a statement returns any row. */
export const hasRow =
  (db: Db): Statement<boolean> =>
  async (...statement) =>
    (await rowsOf(db, sql(...statement))).length > 0;

/** TypeORM's plain query() returns rows for INSERT and [rows, count] for UPDATE and DELETE: here it is rows, whatever the verb. */
async function rowsOf<Row>(db: Db, { text, values, name }: Sql): Promise<Row[]> {
  const inTransaction = 'queryRunner' in db ? db.queryRunner : undefined;
  const runner = inTransaction ?? ('createQueryRunner' in db ? db : db.connection).createQueryRunner();
  try {
    const result = await runner.query(name === undefined ? text : named(name, text), values, true);
    return result.records as Row[];
  } finally {
    if (!inTransaction) await runner.release();
  }
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
