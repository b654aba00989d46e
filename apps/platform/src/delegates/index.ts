export { DELEGATES_CAPABILITY } from './capability.ts';
export { DeletedDelegates } from './deleted-delegates.service.ts';
export { removeDelegateAgain, revokeGrantAgain } from './restored.store.ts';
