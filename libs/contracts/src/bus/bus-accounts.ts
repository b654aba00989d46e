import { filter, PARKED } from '../core/subjects.ts';
import { OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY } from '../decryptor/subjects.ts';
import { FEED, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { READ_CHALLENGE } from '../twofa/subjects.ts';
import type { BusUser, Plane } from './bus-users.ts';

/** A subject that other accounts may ask, in the words of a nats-server configuration. */
export interface ServiceExport {
  service: string;
  /** Absent, one answer to a request is let through. */
  response_type?: 'stream';
  /** How long a way back is kept that no answer has gone. */
  response_threshold?: string;
}

/** A subject of another account, and what it is called here. */
export interface ServiceImport {
  service: { account: string; subject: string };
  to: string;
}

/** An account of the bus. */
export interface BusAccount {
  users: readonly BusUser[];
  /** Whether it keeps streams. */
  jetstream: boolean;
  exports?: readonly ServiceExport[];
  imports?: readonly ServiceImport[];
  mappings?: Readonly<Record<string, string>>;
}

const PLANES: readonly string[] = ['platform', 'suite'] satisfies Plane[];

/**
 * What the suite lets internal consumers ask; each imports only what its user may say. A pull is answered by many messages, and the gateway
 * waits long for some answers.
 */
const ASKED_OF_SUITE: readonly ServiceExport[] = [
  { service: 'cds.gateway.v1.*.*', response_threshold: '310s' },
  ...[OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, READ_CHALLENGE, PARKED].map((subject) => ({ service: filter(subject) })),
  { service: `${WANTED_CONSUMERS}.>` },
  ...['$JS.API.CONSUMER.INFO', '$JS.ACK', '$JS.ACK.*.*'].map((api) => ({ service: `${api}.${FEED.stream}.>` })),
  { service: `$JS.API.CONSUMER.MSG.NEXT.${FEED.stream}.*`, response_type: 'stream', response_threshold: '35s' },
];

/**
 * Who shares an account. The server answers wherever a request says and looks at nobody's rights for it, so whoever shares an account with
 * a service can have the server write to it, and with a stream can have it deleted. An internal consumer is therefore alone in an account:
 * the server leads answers back into it, and what they say there reaches nobody.
 */
export function accountsOf(users: readonly BusUser[]): Record<string, BusAccount> {
  const names = [...new Set(users.map(({ account }) => account))];
  return Object.fromEntries(
    names.map((name) => [
      name,
      accountOf(
        name,
        users.filter(({ account }) => account === name),
      ),
    ]),
  );
}

function accountOf(name: string, users: readonly BusUser[]): BusAccount {
  if (PLANES.includes(name)) return { users, jetstream: true, ...(name === 'suite' && { exports: ASKED_OF_SUITE }) };
  const subjects = [...new Set(users.flatMap(({ publish }) => publish))];
  return {
    users: users.map((user) => ({ ...user, publish: user.publish.map(here) })),
    jetstream: false,
    mappings: Object.fromEntries(subjects.filter(isApi).map((subject) => [subject, samePlaces(here(subject))])),
    imports: subjects.map((subject) => ({ service: { account: 'suite', subject: inSuite(subject) }, to: here(subject) })),
  };
}

/**
 * In an account without streams the server answers their API itself, with a refusal. There the suite's has another name, which clients need
 * not know.
 */
const isApi = (subject: string): boolean => subject.startsWith('$JS.API.');
const here = (subject: string): string => (isApi(subject) ? subject.replace('$JS.API', 'suite.js.api') : subject);

/** Whoever may say how a consumer is made can have it deliver anywhere in the suite, so what is said is read there first. */
const inSuite = (subject: string): string => subject.replace(`$JS.API.CONSUMER.CREATE.${FEED.stream}.`, `${WANTED_CONSUMERS}.`);

/** A mapping keeps what stands in the places of wildcards. */
function samePlaces(subject: string): string {
  let place = 0;
  return subject.replace(/(?<=\.)\*(?=\.|$)/g, () => `{{wildcard(${++place})}}`);
}
