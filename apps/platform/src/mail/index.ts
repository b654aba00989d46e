export { MAIL } from './capability.ts';
export { mailBacklog } from './outbox.store.ts';
export { Relay, RELAY } from '../account-mail/index.ts';
