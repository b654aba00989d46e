export { ACCOUNT_CHANGES } from './capability.ts';
export { CREDENTIALS_CHANGED, type CredentialsChanged } from './credentials-changed.hook.ts';
export { EmailChangesStore } from './email-changes.store.ts';
