export { MOVES } from './capability.ts';
export { COMPANY_LEAVES, type CompanyLeaves } from './company-leaves.hook.ts';
export { COMPANY_ARRIVES, type CompanyArrives } from './company-arrives.hook.ts';
export { MovesStore } from './moves.store.ts';
export { MovedTables, type MovedTable } from './moved-tables.ts';
