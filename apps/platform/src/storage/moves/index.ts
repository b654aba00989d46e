export { MOVES } from './capability.ts';
export { COMPANY_ARRIVES, COMPANY_LEAVES, type CompanyArrives, type CompanyLeaves } from './moves.hook.ts';
export { MovesStore } from './moves.store.ts';
export { MovedTables, type MovedTable } from './moved-tables.ts';
