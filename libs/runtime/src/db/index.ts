export { databaseAnswers } from './answers.ts';
export {
  configuredAddress,
  configuredDatabase,
  configuredOwner,
  ForwardMigration,
  furtherPool,
  limitStatements,
  openDatabase,
  tableOf,
  type DatabaseOptions,
  type Entity,
  type Migration,
} from './database.ts';
export { forCompany, forEveryCompany, TENANT_SETTING } from './tenant.ts';
export { sendLong } from './long-parameter.ts';
export { AROUND_VALUE_BYTES, longRow, ValueTooLong } from './long-row.ts';
export { migrate } from './migrate.ts';
export { schemaIsCurrent } from './schema.ts';
export { column, execute, hasRow, many, one, prepared, sql, together, type Db, type Sql } from './sql.ts';
export { transactionAtOnce, transactionFrom } from './pipelined-transactions.ts';
export { passwordIn, type DatabaseAddress } from './connection.ts';
export { refuseInTransaction } from '../open-transaction.ts';
