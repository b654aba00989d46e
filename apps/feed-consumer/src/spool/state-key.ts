import { collapseKey, type FeedEvent } from '@codase/contracts';

/**
 * Returns the key of what an event is the state of: a newer event with the same key replaces it. Null for an event that is never replaced.
 * The key of a slot begins with the key of its connection, so an event of the connection replaces the events of its slots.
 * @spec D1-6.1 @spec D1-6.2
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

/** Whether the event names a person. The outcome of a challenge, which replaces older ones of its person, need not. @gap D1-6.1 */
const isOfPerson = ({ person_user_id }: Partial<FeedEvent>) => person_user_id !== undefined;
