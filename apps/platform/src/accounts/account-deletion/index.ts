export { ACCOUNT_DELETION } from './capability.ts';
export { isDeletionNoted } from './deletions.store.ts';
