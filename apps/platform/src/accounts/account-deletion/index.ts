export { ACCOUNT_DELETION } from './capability.ts';
export { DELETED_ACCOUNTS } from './deleted-accounts.ts';
export { isDeletionNoted } from './deletions.store.ts';
