export { MOVES } from './capability.ts';
export { MovedTables, type MovedTable } from './moved-tables.ts';
