export { ACCOUNT_DELETION } from './capability.ts';
export { DELETED_ACCOUNTS } from './deleted-accounts.ts';
export { endDeletionCodes } from './deletion-codes.store.ts';
export { addDeletion, deletionsAfter, isDeletionNoted, repeatDeletions } from './deletions.store.ts';
