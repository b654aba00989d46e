const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** After the first failure a minute, then twice as long each time. */
const LONGEST_PAUSE_MS = HOUR_MS;

/** Longer than the pause between two alerts, so that a mail that waits is replaced by the next alert rather than given up. */
export const GIVE_UP_HOURS = 48;

/** When a mail is tried again that has failed so many times. */
export const nextTry = (attempts: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(LONGEST_PAUSE_MS, MINUTE_MS * 2 ** (attempts - 1)));

/** What was written before has waited too long to be of use. */
export const tooOld = (now: Date): Date => new Date(now.getTime() - GIVE_UP_HOURS * HOUR_MS);

/** The answers of a relay that speak of the mail, not of the relay. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA'];

/** What a failed try is known by. */
export interface Failure {
  code?: string;
  command?: string;
  responseCode?: number;
}

/**
 * Whether the relay will never take this mail: it refused the address or the text for good. A relay that refuses our password, our sender
 * or its service altogether is to be mended, and the mail waits.
 */
export const isRefusedForGood = ({ command = '', responseCode = 0 }: Failure): boolean =>
  responseCode >= 500 && ABOUT_THE_MAIL.includes(command);
