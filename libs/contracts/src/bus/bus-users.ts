import { readKeyProof } from '../audit/endpoints.ts';
import { ENDPOINTS } from '../endpoints.ts';
import { flowEvents } from '../flows/events.ts';
import * as runs from '../flows/run-endpoints.ts';
import {
  ANSWER_TURN,
  ASK_PLUGIN,
  CANCEL_RUN,
  HAND_BACK_TURN,
  LIST_TURNS,
  RESUME_TURN,
  START_RUN,
  TAKE_TURN,
  TURN_EVENT,
} from '../flows/subjects.ts';
import * as twofa from '../twofa/endpoints.ts';
import { listConnections, readConnection, readSlotFile } from '../connections/endpoints.ts';
import { CLOCK_MOVED, filter, PARKED, STATUS } from '../core/subjects.ts';
import {
  OPEN_ACCOUNT_VALUES,
  OPEN_PAYLOAD,
  OPEN_VALUE,
  OPEN_VALUES,
  READ_SERVICE_KEY,
  UNWRAP_ACCOUNT_VALUE,
  UNWRAP_KEY,
} from '../decryptor/subjects.ts';
import { FEED_PARTITIONS } from '../feed-consumer/limits.ts';
import { COMPARE, FEED, RESEND, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { drainChanges } from '../feed/endpoints.ts';
import { operation } from '../gateway/operation.ts';
import { CALL_FORWARDER, GATEWAY_REPLICAS } from '../gateway/subjects.ts';
import { listFieldTypes, readPublicKey } from '../registry/endpoints.ts';
import { whoami } from '../services/company-data-endpoints.ts';
import { CHALLENGE_EVENT } from '../twofa/events.ts';
import { CHALLENGE_COMPLETED, RAISE_CHALLENGE, READ_CHALLENGE } from '../twofa/subjects.ts';
import type { BusUser } from './bus-user.ts';
import { platformUsers } from './platform-users.ts';

/** Returns a service of the suite, alone in an account with its name. It answers its status and, in development, follows the clock. */
const service = (user: string, rights: { publish?: readonly string[]; subscribe?: readonly string[] } = {}): BusUser => ({
  user,
  account: user,
  plane: 'suite',
  publish: [...(rights.publish ?? [])],
  subscribe: [`_INBOX_${user}.>`, filter(STATUS, { name: user }), filter(CLOCK_MOVED, { name: user }), ...(rights.subscribe ?? [])],
});

/** The partitions of the feed by name, `p00` to `p15`. */
export const PARTITIONS: readonly string[] = Array.from({ length: FEED_PARTITIONS }, (_, n) => `p${String(n).padStart(2, '0')}`);

/** Returns the durable consumer of a group on one partition. A group has no underscore, so two users never have the same name. */
export function groupConsumer(user: string, group: string, partition: string): string {
  const isName = /^[A-Za-z0-9-]{1,64}$/.test(group);
  if (!isName) throw new Error(`not a name for a group: ${JSON.stringify(group)}; take letters, digits and hyphens`);
  return `${user}_${group}_${partition}`;
}

/**
 * Returns what a durable consumer may publish to: to create itself with one of these filters and no other, to get events, to ack them, and
 * to park them. With a wider right it could read events that are sent to others.
 */
export const consumes = (stream: string, consumer: string, filters: readonly string[]): readonly string[] => [
  ...filters.map((subjects) => `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${subjects}`),
  `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
  `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
  `$JS.ACK.${stream}.${consumer}.>`,
  `$JS.ACK.*.*.${stream}.${consumer}.>`, // written by servers that put domain and account first
  filter(PARKED, { consumer }),
];

/** Returns what the handlers of a group may publish to. Each partition has a consumer, so that a person's events keep their order. */
export const handles = (user: string, services: readonly string[], group: string): readonly string[] =>
  PARTITIONS.flatMap((partition) =>
    consumes(
      FEED.stream!,
      groupConsumer(user, group, partition),
      services.map((service) => filter(FEED, { service, partition })),
    ),
  );

/** The rights of a service that creates consumers of a stream for others: they ask it here, and it asks the server. */
const makesConsumers = (stream: string) => ({
  publish: [`$JS.API.CONSUMER.CREATE.${stream}.>`],
  subscribe: [`${WANTED_CONSUMERS}.${stream}.>`],
});

/** Returns what a user may ask to see how full a stream is, and how far its consumers are. */
const watches = (stream: string) => ['STREAM.INFO', 'STREAM.MSG.GET', 'CONSUMER.LIST'].map((verb) => `$JS.API.${verb}.${stream}`);

/** What may be asked of the gateway for a service: not the drain, as the feed consumer never sees what another user drains. */
const OPERATIONS = ENDPOINTS.filter(
  ({ name, callers, at }) => callers.includes('service') && at.includes('region') && name !== drainChanges.name,
);
/** Returns the operations of an internal consumer, without the poll of challenges: an outcome is answered once, and twofa needs it. */
const operations = (service: string) =>
  OPERATIONS.filter((contract) => !Object.values<unknown>(twofa).includes(contract)).map((contract) =>
    filter(operation(contract), { service }),
  );
/** Returns the operations of one part of the specification. */
const operationsOf = (part: object) => OPERATIONS.filter((contract) => Object.values(part).includes(contract)).map(operation);

/** The subjects that the flows service answers. */
const FLOWS = [START_RUN, CANCEL_RUN, TAKE_TURN, ASK_PLUGIN, ANSWER_TURN, HAND_BACK_TURN, LIST_TURNS, RESUME_TURN] as const;
/** What flows reads beside runs, to seal and open answers: customers, their keys and files, and the types of fields. */
const FLOWS_READS = [whoami, readConnection, readSlotFile, readPublicKey, readKeyProof, listFieldTypes] as const;
/** What flows asks for a service whose flows it plays: of the gateway, of the forwarder behind it, and of the decryptor. */
const FLOWS_ASKS = [
  ...operationsOf(runs),
  ...FLOWS_READS.map((contract) => operation(contract)),
  CALL_FORWARDER,
  OPEN_VALUES,
  UNWRAP_KEY,
  READ_SERVICE_KEY,
] as const;

/** The subjects of values that are sealed to the account key of the company. */
const ACCOUNT_VALUES = [OPEN_ACCOUNT_VALUES, UNWRAP_ACCOUNT_VALUE] as const;

/** Returns the name of the durable consumer by which an internal consumer gets the turns that wait for too long. */
export const turnConsumer = (user: string): string => `${user}_turns`;

/** Returns the name of the durable consumer by which an internal consumer gets the outcomes of challenges. */
export const challengeConsumer = (user: string): string => `${user}_challenges`;

/**
 * Returns the bus user of a company's own service. It asks the gateway about the services it may read, the decryptor for their values and
 * twofa for approvals. It receives the outcomes of these approvals, and its groups of handlers receive events. With `account` it also asks
 * the decryptor for values that are sealed to the account key of the company.
 */
export function internalConsumer(
  user: string,
  services: readonly string[],
  groups: readonly string[] = [],
  { account = false }: { account?: boolean | undefined } = {},
): BusUser {
  const isTaken = /^platform(-|$)/.test(user) || suiteUsers([]).some((other) => [other.user, other.account].includes(user));
  if (isTaken) throw new Error(`${user} is a name of the bus's own: give this internal consumer another`);
  return {
    user,
    account: user,
    plane: 'suite',
    publish: [
      ...services.flatMap((service) => [
        ...operations(service),
        ...[OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, RAISE_CHALLENGE, READ_CHALLENGE, ...FLOWS].map((subject) => filter(subject, { service })),
      ]),
      ...consumes(
        TURN_EVENT.stream!,
        turnConsumer(user),
        services.map((service) => filter(TURN_EVENT, { service })),
      ),
      ...consumes(
        CHALLENGE_COMPLETED.stream!,
        challengeConsumer(user),
        services.map((service) => filter(CHALLENGE_COMPLETED, { service })),
      ),
      ...groups.flatMap((group) => handles(user, services, group)),
      ...(account ? ACCOUNT_VALUES.map((subject) => filter(subject)) : []),
    ],
    subscribe: [`_INBOX_${user}.>`],
  };
}

/**
 * Returns the users of the suite. `flowServices` are the services whose flows the service `flows` plays: it asks the gateway and the
 * decryptor for these, and for no other.
 */
export const suiteUsers = (flowServices: readonly string[]): readonly BusUser[] => [
  // The operator may create streams. The user is for operators and for bringing the suite up, never for a service.
  { user: 'suite-operator', account: 'suite', plane: 'suite', publish: ['>'], subscribe: ['>'] },
  service('gateway', { publish: [filter(GATEWAY_REPLICAS)], subscribe: ['codase.gateway.v1.*.*', filter(GATEWAY_REPLICAS)] }),
  // The feed consumer has envelopes of webhooks opened, never the values inside. It asks the gateway only for what a feed needs. It owns
  // the stream of events.
  service('feed-consumer', {
    publish: [
      filter(OPEN_PAYLOAD),
      filter(operation(drainChanges)),
      filter(operation(listConnections)),
      filter(FEED),
      filter(PARKED, { consumer: 'feed-consumer' }),
      ...makesConsumers(FEED.stream!).publish,
      ...watches(FEED.stream!),
    ],
    subscribe: [filter(RESEND), filter(COMPARE), ...makesConsumers(FEED.stream!).subscribe],
  }),
  service('decryptor', {
    subscribe: [OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, READ_SERVICE_KEY, OPEN_PAYLOAD, ...ACCOUNT_VALUES].map((subject) => filter(subject)),
  }),
  // The flows service plays the company's turns: it has answers opened, and owns the stream of turns that wait for too long.
  service('flows', {
    publish: [
      ...flowServices.flatMap((service) => FLOWS_ASKS.map((subject) => filter(subject, { service }))),
      ...Object.keys(flowEvents).flatMap((event) => consumes(FEED.stream!, `flows_${event}`, [filter(FEED, { event })])),
      filter(TURN_EVENT),
      ...makesConsumers(TURN_EVENT.stream!).publish,
    ],
    subscribe: [...FLOWS.map((subject) => filter(subject)), ...makesConsumers(TURN_EVENT.stream!).subscribe],
  }),
  // The twofa service owns the stream of outcomes.
  service('twofa', {
    publish: [
      ...operationsOf(twofa).map((subject) => filter(subject)),
      ...consumes(FEED.stream!, 'twofa_outcomes', [filter(FEED, { event: CHALLENGE_EVENT })]),
      filter(CHALLENGE_COMPLETED),
      ...makesConsumers(CHALLENGE_COMPLETED.stream!).publish,
    ],
    subscribe: [filter(RAISE_CHALLENGE), filter(READ_CHALLENGE), ...makesConsumers(CHALLENGE_COMPLETED.stream!).subscribe],
  }),
];

/** Returns all users of the bus but the internal consumers, for these regions and a suite that plays the flows of these services. */
export const busUsers = (regions: readonly string[], flowServices: readonly string[]): readonly BusUser[] => [
  ...platformUsers(regions),
  ...suiteUsers(flowServices),
];
