import type { DataSource, EntityManager } from 'typeorm';

export interface Sql {
  text: string;
  values: unknown[];
}

/** SQL with its parameters in place: sql`select … where id = ${id}`. Every ${} becomes a bind parameter, never text. */
export function sql(parts: TemplateStringsArray, ...values: unknown[]): Sql {
  return { text: parts.reduce((text, part, i) => `${text}$${i}${part}`), values };
}

/** A transaction, or the data source itself where one statement is all. */
export type Db = EntityManager | DataSource;

/** All rows, whatever the verb: TypeORM's plain query() answers rows for INSERT and [rows, count] for UPDATE and DELETE. */
export async function many<Row>(db: Db, { text, values }: Sql): Promise<Row[]> {
  const inTransaction = 'queryRunner' in db ? db.queryRunner : undefined;
  const runner = inTransaction ?? ('createQueryRunner' in db ? db : db.connection).createQueryRunner();
  try {
    const result = await runner.query(text, values, true);
    return result.records as Row[];
  } finally {
    if (!inTransaction) await runner.release();
  }
}

export const one = async <Row>(db: Db, query: Sql): Promise<Row | undefined> => (await many<Row>(db, query))[0];
