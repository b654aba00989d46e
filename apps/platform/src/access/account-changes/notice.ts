const DAY_MS = 86_400_000;

/** Returns until when a mail that tells of a change is sent. Afterwards it would only confuse. */
export const noticeUntil = (now: Date): Date => new Date(now.getTime() + DAY_MS);
