export { MOVES } from './capability.ts';
export { COMPANY_LEAVES, type CompanyLeaves } from './company-leaves.hook.ts';
export { MovedTables, type MovedTable } from './moved-tables.ts';
