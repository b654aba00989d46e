import { jsonIn } from '@codase/contracts';
import type { Msg } from '@nats-io/transport-node';

/** A user's replies arrive on subjects of its own, so that one user cannot listen to another's. */
export const inboxOf = (user: string): string => `_INBOX_${user}`;

const INBOX = /^_INBOX(?:_([^.]+))?\../;
/** The reply subject that the server itself gives to a request from another account. It lets no client name such a subject. */
const WAY_BACK = /^_R_\../;
/** The header in which the server describes the sender of a request from another account. It replaces what the sender wrote there. */
const ASKER = 'Nats-Request-Info';

/** Whether an answer may go to this subject. Without this check a caller could make a service write on any subject. */
export const isInbox = (reply: string): boolean => INBOX.test(reply) || WAY_BACK.test(reply);

/**
 * Returns who gets the answer. Within the service's own account, that is the user whose inbox is the reply subject. This does not prove
 * that the user sent the request, and need not: the server lets nobody else hear the answer, so a forger learns nothing. For a request from
 * another account, it is that account.
 */
export function userOf({ reply = '', headers }: Pick<Msg, 'reply' | 'headers'>): string | undefined {
  if (!WAY_BACK.test(reply)) return INBOX.exec(reply)?.[1];
  const [info, ...more] = headers?.values(ASKER) ?? [];
  if (info === undefined || more.length > 0) return undefined;
  const account = (jsonIn(info) as { acc?: unknown } | null | undefined)?.acc;
  return typeof account === 'string' ? account : undefined;
}
