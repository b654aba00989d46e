import { at, EVENT_ID_HEADER, FEED, PARKED, PARTITIONS, RECONCILED_HEADER, RESENT_HEADER } from '@codase/contracts';
import type { Waiting } from '../spool/spool.store.ts';

/** The part of a stored event that is published on the bus. */
type Stored = Omit<Waiting, 'seq' | 'state_key' | 'received_at'>;

/** Returns the message for the stream: the body as it was stored, and the CloudEvents context attributes as headers. */
export const outgoing = (stored: Stored) => ({
  subject: subjectOf(stored),
  body: stored.body,
  id: `${stored.service}:${stored.message_id}`,
  headers: {
    'ce-specversion': '1.0',
    [EVENT_ID_HEADER]: stored.event_id,
    'ce-type': stored.event ?? 'unreadable',
    'ce-source': `/services/${stored.service}`,
    'ce-time': stored.at.toISOString(),
    ...(stored.event === null && { 'Codase-Reason': 'request.invalid' }),
    ...(stored.mark === 'reconciled' && { [RECONCILED_HEADER]: 'true' }),
    ...(stored.mark === 'resent' && { [RESENT_HEADER]: 'true' }),
    ...(stored.traceparent !== null && { traceparent: stored.traceparent }),
  },
});

/** Returns the subject, which has no personal data: a service, an event kind and a partition. An unreadable message is parked. */
const subjectOf = ({ service, event, shard }: Stored) =>
  event === null ? at(PARKED, { consumer: 'feed-consumer' }) : at(FEED, { service, event, partition: PARTITIONS[shard]! });
