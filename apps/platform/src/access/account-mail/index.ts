export { ACCOUNT_MAIL } from './capability.ts';
export { configuredRelay } from './configured-relay.service.ts';
export type { AccountMail } from './account-mail-text.ts';
export { AccountMailStore } from './account-mail.store.ts';
export { hashMailedCode, MAX_WRONG_CODES, newMailedCode, tooManyMails } from './mailed-code.ts';
export { expiredBefore, GIVE_UP_HOURS, isAboutTheMail, isRefusedForGood, nextAttempt, type SendFailure } from './mail-retries.ts';
export { codeOf, Relay, RELAY, SEND_SECONDS, type OutgoingMail } from './relay.service.ts';
