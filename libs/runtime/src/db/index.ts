export { databaseAnswers } from './answers.ts';
export { configuredDatabase, openDatabase, type DatabaseOptions, type Migration } from './database.ts';
export { migrate } from './migrate.ts';
export { many, one, prepared, sql, type Db, type Sql } from './sql.ts';
