export { DELEGATES_CAPABILITY } from './capability.ts';
export { DeletedDelegates } from './deleted-delegates.service.ts';
export { noteDelegatingAgain, noteKeyReadAgain, removeDelegateAgain, revokeGrantAgain, withdrawKeyAgain } from './restored.store.ts';
