export { MailModule } from './mail.module.ts';
export { MAIL_REGIONS } from './mail.worker.ts';
export { mailBacklog } from './outbox.store.ts';
export { relayAddress } from './relay-address.ts';
export { Relay, RELAY } from './relay.service.ts';
