export { IDENTITY } from './capability.ts';
export { HomeRegionGuard } from './accounts/home-region-guard.service.ts';
export { Accounts } from './accounts/accounts.service.ts';
export { AccountsStore, provisionAccount, type AccountRow, type ProvisionedAccount } from './accounts/accounts.store.ts';
export { removeAccount } from './accounts/remove-account.store.ts';
export { hashPassword, type HashCost } from './passwords/password.ts';
export { PasswordCheck, type PasswordAttempt } from './passwords/password-check.service.ts';
export { RemotePasswordCheck } from './passwords/remote-password-check.service.ts';
export { REPLICA } from './passwords/replica.ts';
