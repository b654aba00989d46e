/** A user's replies arrive on subjects of its own, so that one user cannot listen to another's. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

const INBOX = /^_INBOX(?:_([^.]+))?\../;

/** Whether answers may go there: a service may answer wherever a request says, and could else be made to write on any subject. */
export const isInbox = (reply: string): boolean => INBOX.test(reply);

/**
 * Whose inbox the answer goes to. It proves nothing about who asked, and need not: the server lets nobody but that user hear
 * the answer, so whoever forges it learns nothing.
 */
export const askerOf = (reply: string | undefined): string | undefined => (reply === undefined ? undefined : INBOX.exec(reply)?.[1]);
