import type { Msg } from '@nats-io/transport-node';

/** A user's replies arrive on subjects of its own, so that one user cannot listen to another's. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

const INBOX = /^_INBOX(?:_([^.]+))?\../;
/** The server's own way back to the account a request came from. It lets no client name such a subject. */
const WAY_BACK = /^_R_\../;
/** What the server writes on a request that came from another account, in place of what stood there. */
const ASKER = 'Nats-Request-Info';

/** Whether answers may go there: a service may answer wherever a request says, and could else be made to write on any subject. */
export const isInbox = (reply: string): boolean => INBOX.test(reply) || WAY_BACK.test(reply);

/**
 * Who gets the answer. Within the service's account it is whose inbox it goes to; this proves nothing about who asked, and need not: the
 * server lets nobody but that user hear the answer, so whoever forges it learns nothing. From an account of its own it is the account.
 */
export function userOf({ reply = '', headers }: Pick<Msg, 'reply' | 'headers'>): string | undefined {
  if (!WAY_BACK.test(reply)) return INBOX.exec(reply)?.[1];
  const [info, ...more] = headers?.values(ASKER) ?? [];
  return info === undefined || more.length > 0 ? undefined : accountIn(info);
}

function accountIn(info: string): string | undefined {
  try {
    const { acc } = JSON.parse(info) as { acc?: unknown };
    return typeof acc === 'string' ? acc : undefined;
  } catch {
    return undefined;
  }
}
