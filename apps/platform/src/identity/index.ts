export { Accounts } from './accounts/accounts.service.ts';
export { AccountsStore, type AccountRow } from './accounts/accounts.store.ts';
export { FrontDoorIdentity } from './identity.module.ts';
export { hashPassword, passwordMatches } from './passwords/password.ts';
