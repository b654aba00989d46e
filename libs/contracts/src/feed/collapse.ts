import type { EventName } from './event-names.ts';
import type { FeedEvent } from './feed-event.ts';

interface Collapse {
  /** Kinds of the same group replace each other. */
  group: string;
  by: 'document_id' | 'person_user_id';
}

/** Of these events only the latest between two drains is delivered: it says the state of its subject. @spec D1-6.2 @spec D1-3.1 */
export const COLLAPSES: Partial<Record<EventName, Collapse>> = {
  document_status_changed: { group: 'document_status', by: 'document_id' },
  connection_request_accepted: { group: 'connection_request', by: 'person_user_id' },
  connection_request_rejected: { group: 'connection_request', by: 'person_user_id' },
  '2fa_challenge_completed': { group: 'challenge', by: 'person_user_id' },
};

/** Returns what a newer event has in common with the older one that it replaces; null for an event that is never replaced. */
export function collapseKey(event: FeedEvent): string | null {
  const rule = COLLAPSES[event.event];
  return rule ? `${rule.group}:${(event as Record<Collapse['by'], unknown>)[rule.by]}` : null;
}
