import { FeedEvent, type Connection } from '@cds/contracts';
import { sha256 } from '../spool/spooled.ts';
import { knownOf, type KnownPerson } from './known.ts';

interface Run {
  run: number;
  now: Date;
}

/** Events found by comparing get ids that the same comparison would find again. */
const foundId = (run: number, ...what: string[]) => `rec_${sha256(JSON.stringify([run, ...what])).slice(0, 40)}`;

/** The events that lead from what is known of a person to what the platform holds. */
export function differences(connection: Connection, known: KnownPerson | undefined, { run, now }: Run): FeedEvent[] {
  const { person_id, share_code, customer_type, connected_at, values } = connection;
  const said = (...what: string[]) => ({ id: foundId(run, person_id, ...what), person_user_id: person_id, share_code });
  const found: object[] = known ? [] : [{ event: 'connection_created', ...said('created'), at: connected_at, customer_type }];
  for (const [slug, digest] of Object.entries(knownOf(connection).slots)) {
    const { live, value, value_url, updated_at } = values[slug]!;
    if (known && Object.hasOwn(known.slots, slug) && known.slots[slug] === digest) continue;
    found.push({
      event: 'field_updated', ...said('updated', slug, digest), at: updated_at, slug, live,
      ...(value === undefined ? { value_url } : { value }),
    });
  }
  for (const slug of Object.keys(known?.slots ?? {})) {
    if (!Object.hasOwn(values, slug)) found.push({ event: 'field_deleted', ...said('deleted', slug), at: now.toISOString(), slug });
  }
  return found.map((event) => FeedEvent.parse(event));
}

/** Of a person the platform no longer lists. */
export const departure = ({ person_user_id, share_code, customer_type }: KnownPerson, { run, now }: Run): FeedEvent =>
  FeedEvent.parse({
    event: 'connection_deleted', id: foundId(run, person_user_id, 'gone'), person_user_id, share_code, customer_type, at: now.toISOString(),
  });
