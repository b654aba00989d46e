export { MAIL } from './capability.ts';
export { mailBacklog } from './outbox.store.ts';
export { Relay, RELAY } from '../../access/account-mail/index.ts';
