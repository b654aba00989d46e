import { backoffMs } from '@codase/runtime/resilience';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const BACKOFF = { firstMs: MINUTE_MS, longestMs: HOUR_MS };

/** Longer than the pause between two alerts, so that a mail that waits is replaced by the next alert rather than given up. */
export const GIVE_UP_HOURS = 48;

/** Returns when to send a mail again that has failed so many times. */
export const nextAttempt = (attempts: number, now: Date): Date => new Date(now.getTime() + backoffMs(BACKOFF, attempts));

/** Returns the moment before which a mail was written too long ago to be of use. */
export const expiredBefore = (now: Date): Date => new Date(now.getTime() - GIVE_UP_HOURS * HOUR_MS);

/** The SMTP commands whose refusal is about the mail. A refusal of another command is about the relay or the platform. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA'];

/** How an attempt to send failed, as nodemailer says it. */
export interface SendFailure {
  code?: string;
  command?: string;
  responseCode?: number;
}

/** What a relay answers to any command when it is about to close the connection. */
const IS_LEAVING = 421;

/**
 * Whether the failure is about this mail alone, because the relay refused the address or the text: it may take the next mail. When a relay
 * refuses the password, the sender or any service, it takes none, and the operator has to repair that.
 */
export const isAboutTheMail = ({ command = '', responseCode = 0 }: SendFailure): boolean =>
  responseCode >= 400 && responseCode !== IS_LEAVING && ABOUT_THE_MAIL.includes(command);

/** Whether the relay will never take this mail. */
export const isRefusedForGood = (failure: SendFailure): boolean => isAboutTheMail(failure) && failure.responseCode! >= 500;
