export { CHALLENGES } from './capability.ts';
export { closeAfterRestore, revokeAgain } from './restored.store.ts';
