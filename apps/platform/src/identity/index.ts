export { IDENTITY } from './capability.ts';
export { Accounts } from './accounts/accounts.service.ts';
export { AccountsStore, provisionAccount, type AccountRow, type ProvisionedAccount } from './accounts/accounts.store.ts';
export { hashPassword, passwordMatches } from './passwords/password.ts';
