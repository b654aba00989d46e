import { FeedEvent, type Connection } from '@codase/contracts';
import { sha256 } from '../spool/spooled-event.ts';
import { judge, wholeOf, type KnownPerson } from './known-state.ts';

interface Run {
  run: number;
  /** When the platform was asked. Every change that is missing in its list is later. */
  now: Date;
  /** When the last stored drain began. Later changes are still to come through the feed. */
  drained_at: Date | null;
}

/** An event that leads from the known state to the state at the platform. */
export interface Difference {
  event: FeedEvent;
  /** Whether the event was certainly lost. If not, it is published in any case: it may be on its way, or have been published before. */
  isLost: boolean;
}

/** Returns the id of an event that was found by comparing. A repetition of the same comparison gives the same id. */
const foundId = (run: number, ...what: string[]) => `rec_${sha256(JSON.stringify([run, ...what])).slice(0, 40)}`;

/** Returns the events that lead from what is known of a person to what the platform holds. */
export function differences(connection: Connection, known: KnownPerson | undefined, { run, now, drained_at }: Run): Difference[] {
  const { person_id, share_code, customer_type, connected_at, values } = connection;
  const said = (...what: string[]) => ({ id: foundId(run, person_id, ...what), person_user_id: person_id, share_code });
  const isDrained = (at: string) => drained_at === null || Date.parse(at) < drained_at.getTime();
  const found: Difference[] = [];
  const add = (event: object, isLost: boolean) => found.push({ event: FeedEvent.parse(event), isLost });

  if (!known) add({ event: 'connection_created', ...said('created'), at: connected_at, customer_type }, isDrained(connected_at));
  for (const [slug, value] of Object.entries(values)) {
    const verdict = judge(known, slug, value);
    if (verdict === 'same') continue;
    const { live, value: text, value_url, updated_at: at } = value;
    const content = text === undefined ? { value_url } : { value: text };
    const event = { event: 'field_updated', ...said('updated', slug, wholeOf(value)), at, slug, live, ...content };
    add(event, verdict === 'lost' && isDrained(at));
  }
  for (const slug of Object.keys(known?.slots ?? {})) {
    if (!Object.hasOwn(values, slug)) add({ event: 'field_deleted', ...said('deleted', slug), at: now.toISOString(), slug }, true);
  }
  return found;
}

/** Returns the `connection_deleted` event of a person whom the platform no longer lists. */
export const departure = ({ person_user_id, share_code, customer_type }: KnownPerson, { run, now }: Pick<Run, 'run' | 'now'>): FeedEvent =>
  FeedEvent.parse({
    event: 'connection_deleted',
    id: foundId(run, person_user_id, 'gone'),
    person_user_id,
    share_code,
    customer_type,
    at: now.toISOString(),
  });
