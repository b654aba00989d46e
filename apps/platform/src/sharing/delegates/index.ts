export { DELEGATES_CAPABILITY } from './capability.ts';
export { DeletedDelegates } from './deleted-delegates.service.ts';
