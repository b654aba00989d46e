export { databaseAnswers } from './answers.ts';
export { configuredAddress, configuredDatabase, openDatabase, type DatabaseOptions, type Migration } from './database.ts';
export { migrate } from './migrate.ts';
export { many, one, prepared, sql, type Db, type Sql } from './sql.ts';
export type { DatabaseAddress } from './connection.ts';
