export { RECOVERY } from './capability.ts';
export { endRecoveryCodes } from './recovery-codes.store.ts';
