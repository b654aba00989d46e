export { IDENTITY } from './capability.ts';
export { Accounts } from './accounts/accounts.service.ts';
export { AccountsStore, provisionAccount, type AccountRow, type ProvisionedAccount } from './accounts/accounts.store.ts';
export { hashPassword, passwordMatches, type HashCost } from './passwords/password.ts';
export { HASH_COST } from './passwords/hash-cost.ts';
