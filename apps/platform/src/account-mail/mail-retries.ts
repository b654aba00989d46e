import { backoffMs } from '@cds/runtime/resilience';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const BACKOFF = { firstMs: MINUTE_MS, longestMs: HOUR_MS };

/** Longer than the pause between two alerts, so that a mail that waits is replaced by the next alert rather than given up. */
export const GIVE_UP_HOURS = 48;

/** When a mail is sent again that has failed so many times. */
export const nextAttempt = (attempts: number, now: Date): Date => new Date(now.getTime() + backoffMs(BACKOFF, attempts));

/** A mail that was written before this has waited too long to be of use. */
export const expiredBefore = (now: Date): Date => new Date(now.getTime() - GIVE_UP_HOURS * HOUR_MS);

/** Refusals of these commands are about the mail; others are about the relay or us. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA'];

/** How an attempt to send failed, as nodemailer says it. */
export interface SendFailure {
  code?: string;
  command?: string;
  responseCode?: number;
}

/**
 * Whether the relay will never take this mail: it refused the address or the text for good. A relay that refuses our password, our sender
 * or its service altogether is to be mended, and the mail waits.
 */
export const isRefusedForGood = ({ command = '', responseCode = 0 }: SendFailure): boolean =>
  responseCode >= 500 && ABOUT_THE_MAIL.includes(command);
