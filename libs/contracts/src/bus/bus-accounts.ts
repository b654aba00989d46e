import { CLOCK_MOVED, filter, PARKED, STATUS } from '../core/subjects.ts';
import { OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY } from '../decryptor/subjects.ts';
import { FEED, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { RAISE_CHALLENGE, READ_CHALLENGE } from '../twofa/subjects.ts';
import type { BusUser } from './bus-user.ts';

/** A subject that other accounts may ask, in the words of a nats-server configuration. */
export interface ServiceExport {
  service: string;
  /** Absent, one answer to a request is let through. */
  response_type?: 'stream';
  /** How long a way back is kept that no answer has gone. */
  response_threshold?: string;
  /** Who may import it; absent, every account. */
  accounts?: readonly string[];
}

/** A subject of which other accounts hear what is said. */
export interface StreamExport {
  stream: string;
  accounts: readonly string[];
}

/** A subject of another account, and what it is called here. */
export interface ServiceImport {
  service: { account: string; subject: string };
  to: string;
}

/** What is said on a subject of another account is heard here too. */
export interface StreamImport {
  stream: { account: string; subject: string };
}

/** An account of the bus. */
export interface BusAccount {
  users: readonly BusUser[];
  /** Whether it keeps streams. */
  jetstream: boolean;
  exports?: readonly (ServiceExport | StreamExport)[];
  imports?: readonly (ServiceImport | StreamImport)[];
  mappings?: Readonly<Record<string, string>>;
}

/**
 * What the suite lets internal consumers ask; each imports only what its user may say. A pull is answered by many messages, and the gateway
 * waits long for some answers.
 */
const ASKED_OF_SUITE: readonly ServiceExport[] = [
  { service: 'cds.gateway.v1.*.*', response_threshold: '310s' },
  ...[OPEN_VALUE, OPEN_VALUES, UNWRAP_KEY, RAISE_CHALLENGE, READ_CHALLENGE, PARKED].map((subject) => ({ service: filter(subject) })),
  { service: `${WANTED_CONSUMERS}.>` },
  ...['$JS.API.CONSUMER.INFO', '$JS.ACK', '$JS.ACK.*.*'].map((api) => ({ service: `${api}.${FEED.stream}.>` })),
  { service: `$JS.API.CONSUMER.MSG.NEXT.${FEED.stream}.*`, response_type: 'stream', response_threshold: '35s' },
];

/**
 * Who shares an account. The server answers wherever a request says and looks at nobody's rights for it, so whoever shares an account with
 * a service can have the server write to it, and with a stream can have it deleted. A role of the platform and an internal consumer are
 * therefore alone in an account: the server leads answers back into it, and what they say there reaches nobody.
 */
export function accountsOf(users: readonly BusUser[]): Record<string, BusAccount> {
  const names = [...new Set(users.map(({ account }) => account))];
  return Object.fromEntries(
    names.map((name) => {
      const members = users.filter(({ account }) => account === name);
      const { plane } = members[0]!;
      if (plane === 'platform') return [name, name === plane ? streamsOfPlatform(members, users) : roleOfPlatform(members, users)];
      return [name, name === plane ? { users: members, jetstream: true, exports: ASKED_OF_SUITE } : internalConsumer(members)];
    }),
  );
}

function internalConsumer(users: readonly BusUser[]): BusAccount {
  const subjects = [...new Set(users.flatMap(({ publish }) => publish))];
  return {
    ...withoutStreams(users, subjects),
    imports: subjects.map((subject) => ({ service: { account: 'suite', subject: inSuite(subject) }, to: here('suite')(subject) })),
  };
}

/** The operator's account: it has the streams, and may ask every role all that it answers. */
function streamsOfPlatform(members: readonly BusUser[], users: readonly BusUser[]): BusAccount {
  const roles = rolesAmong(users);
  const accounts = (isIts: (user: BusUser) => boolean) => roles.filter(isIts).map(({ account }) => account);
  const stored = [...new Set(roles.flatMap(({ publish }) => publish.filter(isStored)))];
  const announced = [...new Set(roles.flatMap(({ subscribe }) => subscribe.filter(isAnnounced)))];
  return {
    users: members,
    jetstream: true,
    exports: [
      ...stored.map((subject) => ({
        service: subject,
        ...(subject.startsWith('$JS.API.DIRECT.GET.') && MANY_ANSWERS),
        accounts: accounts(({ publish }) => publish.includes(subject)),
      })),
      ...announced.map((subject) => ({ stream: subject, accounts: accounts(({ subscribe }) => subscribe.includes(subject)) })),
    ],
    imports: roles.flatMap((role) => answeredBy(role).map((subject) => serviceFrom(role.account, subject))),
  };
}

/** A role exports what it answers to those who may ask it, and imports what it asks from those who answer. */
function roleOfPlatform(members: readonly BusUser[], users: readonly BusUser[]): BusAccount {
  const [role] = members as [BusUser];
  const others = rolesAmong(users).filter(({ account }) => account !== role.account);
  const mayAsk = (subject: string) => others.filter(({ publish }) => publish.includes(subject)).map(({ account }) => account);
  const answerer = (subject: string) => {
    const found = others.find((other) => answeredBy(other).includes(subject));
    if (!found) throw new Error(`${role.user} may ask ${subject}, which nobody answers`);
    return found.account;
  };
  return {
    ...withoutStreams(members, role.publish),
    exports: answeredBy(role).map((subject) => ({
      service: subject,
      ...(isAnsweredByEveryReplica(role, subject) && MANY_ANSWERS),
      accounts: ['platform', ...mayAsk(subject)],
    })),
    imports: [
      ...role.publish.map((subject) =>
        isStored(subject)
          ? { service: { account: 'platform', subject }, to: here('platform')(subject) }
          : serviceFrom(answerer(subject), subject),
      ),
      ...role.subscribe.filter(isAnnounced).map((subject) => ({ stream: { account: 'platform', subject } })),
    ],
  };
}

const rolesAmong = (users: readonly BusUser[]) => users.filter(({ plane, account }) => plane === 'platform' && account !== plane);

/** What a role subscribes to, but for its own replies and the changes of tables. */
const answeredBy = ({ subscribe }: BusUser) => subscribe.filter((subject) => !subject.startsWith('_INBOX') && !isAnnounced(subject));

const isStored = (subject: string): boolean => subject.startsWith('$');
const isAnnounced = (subject: string): boolean => subject.startsWith('cds.changed.');
const isAnsweredByEveryReplica = ({ user }: BusUser, subject: string) =>
  [filter(STATUS, { name: user }), filter(CLOCK_MOVED, { name: user })].includes(subject);

const MANY_ANSWERS = { response_type: 'stream', response_threshold: '10s' } as const;
const serviceFrom = (account: string, subject: string): ServiceImport => ({ service: { account, subject }, to: subject });

/**
 * In an account without streams the server answers their API itself, with a refusal. There the plane's has another name, which clients need
 * not know.
 */
function withoutStreams(users: readonly BusUser[], subjects: readonly string[]): Pick<BusAccount, 'users' | 'jetstream' | 'mappings'> {
  const named = here(users[0]!.plane);
  return {
    users: users.map((user) => ({ ...user, publish: user.publish.map(named) })),
    jetstream: false,
    mappings: Object.fromEntries(subjects.filter(isApi).map((subject) => [subject, samePlaces(named(subject))])),
  };
}

const isApi = (subject: string): boolean => subject.startsWith('$JS.API.');
const here = (plane: string) => (subject: string) => (isApi(subject) ? subject.replace('$JS.API', `${plane}.js.api`) : subject);

/** Whoever may say how a consumer is made can have it deliver anywhere in the suite, so what is said is read there first. */
const inSuite = (subject: string): string => subject.replace(`$JS.API.CONSUMER.CREATE.${FEED.stream}.`, `${WANTED_CONSUMERS}.`);

/** A mapping keeps what stands in the places of wildcards. */
function samePlaces(subject: string): string {
  let place = 0;
  return subject.replace(/(?<=\.)\*(?=\.|$)/g, () => `{{wildcard(${++place})}}`);
}
