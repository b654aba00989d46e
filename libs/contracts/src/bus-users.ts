import { drainChanges, listConnections } from './endpoints/connections.ts';
import { CLOCK_MOVED, filter, operation, PARKED, STATUS } from './subjects.ts';
import { FEED, OPEN_PAYLOAD, OPEN_VALUE, OPEN_VALUES, RESEND } from './suite-subjects.ts';

/** The two planes never meet on the bus: each has an account of its own, so a subject of one does not exist for the other. */
export type BusAccount = 'platform' | 'suite';

/** Who may say and hear what. What is not listed is refused by the server. */
export interface BusUser {
  user: string;
  account: BusAccount;
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Tables the front door owns and the regions follow. */
const FOLLOWED = ['clients', 'modes', 'ended_sessions', 'field_types'];

/** Every service answers how it is and, in development, follows the clock. Replies arrive on subjects of the user's own. */
const service = (account: BusAccount, user: string, rights: { publish?: readonly string[]; subscribe?: readonly string[] } = {}): BusUser => ({
  user,
  account,
  publish: [...(rights.publish ?? [])],
  subscribe: [`_INBOX_${user}.>`, filter(STATUS), filter(CLOCK_MOVED), ...(rights.subscribe ?? [])],
});

/** Reads a key-value bucket: opens it, watches it, and nothing else. */
const follows = (bucket: string) => [
  `$JS.API.STREAM.INFO.KV_${bucket}`,
  `$JS.API.CONSUMER.CREATE.KV_${bucket}.>`,
  `$JS.API.CONSUMER.DELETE.KV_${bucket}.>`,
  `$JS.API.CONSUMER.INFO.KV_${bucket}.>`,
  '$JS.FC.>',
];

const writes = (bucket: string) => [`$JS.API.STREAM.INFO.KV_${bucket}`, `$KV.${bucket}.>`];

/** May create streams and buckets: used to bring a plane up and by operators, never by a service. */
const administrator = (account: BusAccount, user: string): BusUser => ({ user, account, publish: ['>'], subscribe: ['>'] });

/** A company's own service: it asks the gateway about the services it may read, and the decryptor for their values. */
export const internalConsumer = (user: string, services: readonly string[]): BusUser => ({
  user,
  account: 'suite',
  publish: services.flatMap((service) => [`cds.gateway.v1.${service}.*`, filter(OPEN_VALUE, { service }), filter(OPEN_VALUES, { service })]),
  subscribe: [`_INBOX_${user}.>`],
});

export const BUS_USERS: readonly BusUser[] = [
  administrator('platform', 'platform-operator'),
  service('platform', 'platform-front-door', {
    publish: [...FOLLOWED.flatMap(writes), ...FOLLOWED.flatMap(follows), 'cds.region.v1.*.*'],
    subscribe: ['cds.front-door.v1.>'],
  }),
  service('platform', 'platform-region', {
    publish: [...FOLLOWED.flatMap(follows), 'cds.front-door.v1.*', 'cds.region.v1.*.*', 'cds.delivery.v1.*.*'],
    subscribe: ['cds.region.v1.*.*'],
  }),
  service('platform', 'platform-delivery', { publish: follows('modes'), subscribe: ['cds.delivery.v1.*.*'] }),
  service('platform', 'platform-forwarder'),
  administrator('suite', 'suite-operator'),
  service('suite', 'gateway', { subscribe: ['cds.gateway.v1.*.*'] }),
  // Envelopes of webhooks, never the values inside; of the gateway only what a feed needs.
  service('suite', 'feed-consumer', {
    publish: [
      filter(OPEN_PAYLOAD), filter(operation(drainChanges)), filter(operation(listConnections)), filter(FEED), filter(PARKED, { consumer: 'feed-consumer' }),
    ],
    subscribe: [filter(RESEND)],
  }),
  service('suite', 'decryptor', { subscribe: [OPEN_VALUE, OPEN_VALUES, OPEN_PAYLOAD].map((subject) => filter(subject)) }),
  service('suite', 'flows', { publish: ['cds.gateway.v1.*.*'] }),
  service('suite', 'twofa', { publish: ['cds.gateway.v1.*.*'] }),
];

/** What a durable consumer needs beside its subjects: its own consumer on one stream, acks, and a place to park. */
export const consumes = (stream: string, consumer: string): readonly string[] => [
  `$JS.API.STREAM.INFO.${stream}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${consumer}`,
  `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.>`,
  `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
  `$JS.ACK.${stream}.${consumer}.>`,
  filter(PARKED, { consumer }),
];
