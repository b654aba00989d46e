export { ACCOUNT_CHANGES } from './capability.ts';
export { AccountsInUse, type Reauthentication } from './accounts-in-use.service.ts';
export { CREDENTIALS_CHANGED, type CredentialsChanged } from './credentials-changed.hook.ts';
export { EmailChangesStore } from './email-changes.store.ts';
export { noticeUntil } from './notice.ts';
export { SECOND_FACTOR_CODES, type SecondFactorCodes } from './second-factor-codes.hook.ts';
