import { ENDPOINTS } from '../endpoints.ts';
import * as runs from '../flows/run-endpoints.ts';
import * as twofa from '../twofa/endpoints.ts';
import { listConnections } from '../connections/endpoints.ts';
import { CLOCK_MOVED, filter, PARKED, STATUS } from '../core/subjects.ts';
import { OPERATOR_PREFIX } from '../core/platform-subjects.ts';
import { OPEN_PAYLOAD, OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY } from '../decryptor/subjects.ts';
import { FEED_PARTITIONS } from '../feed-consumer/limits.ts';
import { FEED, RESEND, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { drainChanges } from '../feed/endpoints.ts';
import { operation } from '../gateway/operation.ts';
import { identitySubjects } from '../identity/subjects.ts';
import { CHALLENGE_EVENT } from '../twofa/events.ts';
import { READ_CHALLENGE } from '../twofa/subjects.ts';

/** The two planes never meet on the bus: each has an account of its own, so a subject of one does not exist for the other. */
export type Plane = 'platform' | 'suite';

/** Who may say and hear what. What is not listed is refused by the server. */
export interface BusUser {
  user: string;
  /** A plane, or for an internal consumer an account of its own, by its name. */
  account: string;
  publish: readonly string[];
  subscribe: readonly string[];
}

/** Tables the front door owns and the regions follow. */
const FOLLOWED = ['clients', 'modes', 'ended_sessions', 'field_types'];

/** Every service answers how it is and, in development, follows the clock. Replies arrive on subjects of the user's own. */
const service = (account: Plane, user: string, rights: { publish?: readonly string[]; subscribe?: readonly string[] } = {}): BusUser => ({
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
const administrator = (account: Plane, user: string): BusUser => ({ user, account, publish: ['>'], subscribe: ['>'] });

/** The partitions of the feed by name, `p00` to `p15`. */
export const PARTITIONS: readonly string[] = Array.from({ length: FEED_PARTITIONS }, (_, n) => `p${String(n).padStart(2, '0')}`);

/** The durable consumer of a group of handlers on one partition. A group's name holds no underscore, so no two users mean the same one. */
export function groupConsumer(user: string, group: string, partition: string): string {
  const isName = /^[A-Za-z0-9-]{1,64}$/.test(group);
  if (!isName) throw new Error(`not a name for a group: ${JSON.stringify(group)}; take letters, digits and hyphens`);
  return `${user}_${group}_${partition}`;
}

/**
 * What a durable consumer needs: to create itself with one of these filters and no other, to be handed events, to ack them, and a place to
 * park. With a wider right it could read what others are sent.
 */
export const consumes = (stream: string, consumer: string, filters: readonly string[]): readonly string[] => [
  ...filters.map((subjects) => `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${subjects}`),
  `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
  `$JS.ACK.${stream}.${consumer}.>`,
  `$JS.ACK.*.*.${stream}.${consumer}.>`, // as servers write it that put domain and account first
  filter(PARKED, { consumer }),
];

/** Handlers of a group hear the events of these services, one consumer for each partition, so that a person's events keep their order. */
export const handles = (user: string, services: readonly string[], group: string): readonly string[] =>
  PARTITIONS.flatMap((partition) =>
    consumes(
      FEED.stream!,
      groupConsumer(user, group, partition),
      services.map((service) => filter(FEED, { service, partition })),
    ),
  );

/** What may be asked of the gateway for a service: all but the drain, since what another drains the feed consumer never sees. */
const OPERATIONS = ENDPOINTS.filter(
  ({ name, callers, at }) => callers.includes('service') && at.includes('region') && name !== drainChanges.name,
);
const operations = (service: string) => OPERATIONS.map((contract) => filter(operation(contract), { service }));
/** Those of one part of the specification, for every service of the company. */
const operationsOf = (part: object) =>
  OPERATIONS.filter((contract) => Object.values(part).includes(contract)).map((contract) => filter(operation(contract)));

/**
 * A company's own service: it asks the gateway about the services it may read, the decryptor for their values and twofa for outcomes, and
 * its groups of handlers hear their events.
 */
export function internalConsumer(user: string, services: readonly string[], groups: readonly string[] = []): BusUser {
  const isTaken = BUS_USERS.some((other) => [other.user, other.account].includes(user));
  if (isTaken) throw new Error(`${user} is a name of the bus's own: give this internal consumer another`);
  return {
    user,
    account: user,
    publish: [
      ...services.flatMap((service) => [
        ...operations(service),
        ...[OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, READ_CHALLENGE].map((asked) => filter(asked, { service })),
      ]),
      ...groups.flatMap((group) => handles(user, services, group)),
    ],
    subscribe: [`_INBOX_${user}.>`],
  };
}

export const BUS_USERS: readonly BusUser[] = [
  administrator('platform', 'platform-operator'),
  service('platform', 'platform-front-door', {
    publish: [...FOLLOWED.flatMap(writes), ...FOLLOWED.flatMap(follows), 'cds.region.v1.*.*'],
    subscribe: ['cds.front-door.v1.*', filter(identitySubjects.checkPassword), `${OPERATOR_PREFIX}.front-door.*`],
  }),
  service('platform', 'platform-region', {
    publish: [
      ...FOLLOWED.flatMap(follows),
      'cds.front-door.v1.*',
      filter(identitySubjects.checkPassword),
      'cds.region.v1.*.*',
      'cds.delivery.v1.*.*',
    ],
    subscribe: ['cds.region.v1.*.*', `${OPERATOR_PREFIX}.region.*.*`],
  }),
  service('platform', 'platform-delivery', { publish: follows('modes'), subscribe: ['cds.delivery.v1.*.*'] }),
  service('platform', 'platform-forwarder'),
  administrator('suite', 'suite-operator'),
  service('suite', 'gateway', { subscribe: ['cds.gateway.v1.*.*'] }),
  // Envelopes of webhooks, never the values inside; of the gateway only what a feed needs. It makes the consumers of its stream.
  service('suite', 'feed-consumer', {
    publish: [
      filter(OPEN_PAYLOAD),
      filter(operation(drainChanges)),
      filter(operation(listConnections)),
      filter(FEED),
      filter(PARKED, { consumer: 'feed-consumer' }),
      `$JS.API.CONSUMER.CREATE.${FEED.stream}.>`,
    ],
    subscribe: [filter(RESEND), `${WANTED_CONSUMERS}.>`],
  }),
  service('suite', 'decryptor', { subscribe: [OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, OPEN_PAYLOAD].map((subject) => filter(subject)) }),
  service('suite', 'flows', { publish: operationsOf(runs) }),
  service('suite', 'twofa', {
    publish: [...operationsOf(twofa), ...consumes(FEED.stream!, 'twofa_outcomes', [filter(FEED, { event: CHALLENGE_EVENT })])],
    subscribe: [filter(READ_CHALLENGE)],
  }),
];
