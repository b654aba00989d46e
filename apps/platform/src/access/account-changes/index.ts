export { ACCOUNT_CHANGES } from './capability.ts';
export { AccountsInUse, type Reauthentication } from './accounts-in-use.service.ts';
export { CREDENTIALS_CHANGED, endPending, type CredentialsChanged } from './account-changes.hook.ts';
export { EmailChangesStore } from './email-changes.store.ts';
