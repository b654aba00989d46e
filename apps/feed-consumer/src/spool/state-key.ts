import { collapseKey, type FeedEvent } from '@cds/contracts';

/**
 * The key of what an event is the state of, so that a newer event with the same key replaces it; null for an event that is never replaced.
 * The key of a slot begins with that of its connection: an event of the connection replaces those of its slots. @spec D1-6.1 @spec D1-6.2
 */
export function stateKey(event: FeedEvent): string | null {
  switch (event.event) {
    case 'connection_created':
    case 'connection_deleted':
      return event.person_user_id;
    case 'field_updated':
    case 'field_deleted':
      return `${event.person_user_id}/${event.slug}`;
    default:
      return isOfPerson(event) ? collapseKey(event) : null;
  }
}

/** The outcome of a challenge need not name the person whose older ones it replaces. @gap D1-6.1 */
const isOfPerson = ({ person_user_id }: Partial<FeedEvent>) => person_user_id !== undefined;
