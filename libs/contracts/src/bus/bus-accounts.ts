import { CLOCK_MOVED, covers, filter, PARKED, STATUS, type Subject } from '../core/subjects.ts';
import { FEED, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { TURN_EVENT } from '../flows/subjects.ts';
import { CHALLENGE_COMPLETED } from '../twofa/subjects.ts';
import type { BusUser } from './bus-user.ts';

/** A subject that other accounts may ask, in the words of a nats-server configuration. */
export interface ServiceExport {
  service: string;
  /** When absent, one answer to each request is let through. */
  response_type?: 'stream';
  /** How long the server keeps the way back of a request that no answer has used. */
  response_threshold?: string;
  /** The accounts that may import the subject; every account when absent. */
  accounts?: readonly string[];
}

/** A subject whose messages other accounts receive. */
export interface StreamExport {
  stream: string;
  accounts: readonly string[];
}

/** A subject of another account, and its name in this account. */
export interface ServiceImport {
  service: { account: string; subject: string };
  to: string;
}

/** A subject of another account whose messages are received in this account too. */
export interface StreamImport {
  stream: { account: string; subject: string };
}

/** An account of the bus. */
export interface BusAccount {
  users: readonly BusUser[];
  /** Whether the account keeps streams. */
  jetstream: boolean;
  exports?: readonly (ServiceExport | StreamExport)[];
  imports?: readonly (ServiceImport | StreamImport)[];
  mappings?: Readonly<Record<string, string>>;
}

/**
 * The accounts of the suite's streams. A user who may create consumers of a stream can make the server send anything within the stream's
 * account, and so delete that stream. So each stream is in the account of the one service that writes it and creates its consumers. A
 * stream that many write to is in the operator's account.
 */
export const STREAM_ACCOUNTS: readonly { subject: Subject; account: string }[] = [
  { subject: FEED, account: 'feed-consumer' },
  { subject: CHALLENGE_COMPLETED, account: 'twofa' },
  { subject: TURN_EVENT, account: 'flows' },
  { subject: PARKED, account: 'suite' },
];

/** The streams of the suite. */
export const SUITE_STREAMS: readonly string[] = STREAM_ACCOUNTS.map(({ subject }) => subject.stream!);

/** A subject that one account asks and another answers. */
interface Crossing {
  asker: string;
  answerer: string;
  /** The subject as a client names it. */
  said: string;
  /** The name of the subject in the account that asks, and in the account that answers. */
  here: string;
  there: string;
}

/**
 * Returns the accounts of these users. The server sends an answer wherever the request says, and checks nobody's rights for it. So a user
 * in the account of a service could make the server write to that service, and a user in the account of a stream could have the stream
 * deleted. Therefore every service and every internal consumer is alone in an account: answers come back into that account, and what is
 * published there reaches nobody else. An account imports each subject that it may ask from the account that answers, which exports it to
 * those accounts only.
 */
export function accountsOf(users: readonly BusUser[]): Record<string, BusAccount> {
  const names = [...new Set(users.map(({ account }) => account))];
  const crossings = names.flatMap((name) => crossingsOf(name, users));
  return Object.fromEntries(names.map((name) => [name, accountOf(name, users, crossings)]));
}

function accountOf(name: string, users: readonly BusUser[], crossings: readonly Crossing[]): BusAccount {
  const members = users.filter(({ account }) => account === name);
  const requests = crossings.filter(({ asker }) => asker === name);
  const answered = crossings.filter(({ answerer }) => answerer === name);
  const hereOf = new Map(requests.map(({ said, here }) => [said, here]));
  const exports = [
    ...[...new Set(answered.map(({ there }) => there))].map((there) => ({
      service: there,
      ...answersOf(there),
      accounts: [...new Set(answered.filter((crossing) => crossing.there === there).map(({ asker }) => asker))],
    })),
    ...announcedBy(name, users),
  ];
  const imports = [
    ...requests.map(({ answerer, there, here }) => ({ service: { account: answerer, subject: there }, to: here })),
    ...members.flatMap((user) =>
      user.subscribe.filter(isAnnounced).map((subject) => ({ stream: { account: user.plane as string, subject } })),
    ),
  ];
  const renamed = requests.filter(({ said, here }) => said !== here);
  return {
    users: members.map((user) => ({ ...user, publish: user.publish.map((subject) => hereOf.get(subject) ?? subject) })),
    jetstream: isOperators(members[0]!) || STREAM_ACCOUNTS.some(({ account }) => account === name),
    ...(exports.length > 0 && { exports }),
    ...(imports.length > 0 && { imports }),
    ...(renamed.length > 0 && { mappings: Object.fromEntries(renamed.map(({ said, here }) => [said, numberPlaceholders(here)])) }),
  };
}

/** Returns the subjects that this account asks and another account answers. */
function crossingsOf(asker: string, users: readonly BusUser[]): Crossing[] {
  const members = users.filter(({ account }) => account === asker);
  const { plane } = members[0]!;
  const others = users.filter((user) => user.plane === plane && user.account !== asker);
  if (isOperators(members[0]!))
    return others.flatMap((other) => requestedByOperator(other).map((said) => crossing(plane, asker, other.account, said)));
  return [...new Set(members.flatMap(({ publish }) => publish))].flatMap((said) => {
    const answerer = accountAnswering(said, members[0]!, [...members, ...others]);
    return answerer === asker ? [] : [crossing(plane, asker, answerer, said, gateOf(said))];
  });
}

/** A server answers the stream API for streams of the same account, so a request for those of another account gets another name. */
const crossing = (plane: string, asker: string, answerer: string, said: string, there = said): Crossing => ({
  asker,
  answerer,
  said,
  here: said.replace(/^\$JS\.API\./, `${plane}.js.api.`),
  there,
});

/**
 * Leads the creation of a consumer to the service that owns the stream. A user who may describe a consumer can make it deliver anywhere in
 * the stream's account, so that service checks the request first.
 */
const gateOf = (subject: string): string => subject.replace(/^\$JS\.API\.CONSUMER\.CREATE\./, `${WANTED_CONSUMERS}.`);

function accountAnswering(subject: string, { user, plane }: BusUser, users: readonly BusUser[]): string {
  const found =
    accountOfStream(subject, plane) ?? users.find((other) => answeredBy(other).some((answered) => covers(answered, subject)))?.account;
  if (found === undefined) throw new Error(`${user} may ask ${subject}, which nobody answers`);
  return found;
}

/** Returns the account of the stream that a subject concerns or is stored in. All streams of the platform are in its operator's account. */
function accountOfStream(subject: string, plane: string): string | undefined {
  if (plane === 'platform') return subject.startsWith('$') ? plane : undefined;
  const words = subject.split('.');
  return STREAM_ACCOUNTS.find(({ subject: stored }) =>
    subject.startsWith('$JS.') ? words.includes(stored.stream!) : covers(filter(stored), subject),
  )?.account;
}

/** Returns what an operator may ask of a user: everything that the user answers, and everything about the streams of its account. */
const requestedByOperator = (user: BusUser): string[] => [
  ...answeredBy(user).filter((subject) => !subject.startsWith(WANTED_CONSUMERS)),
  ...STREAM_ACCOUNTS.filter(({ account }) => account === user.account).flatMap(({ subject }) => [
    filter(subject),
    ...apiOf(subject.stream!),
  ]),
];

/** Returns the subjects of the server's API by which a stream and its consumers are managed and read. */
const apiOf = (stream: string): string[] => [
  ...['STREAM.*', 'STREAM.*.*', 'DIRECT.GET', 'CONSUMER.*'].map((verb) => `$JS.API.${verb}.${stream}`),
  ...['DIRECT.GET', 'CONSUMER.*', 'CONSUMER.*.*'].map((verb) => `$JS.API.${verb}.${stream}.>`),
  `$JS.ACK.${stream}.>`,
];

/** Whether the account is the operator's, named like the plane. It has streams, and announces what they store to followers. */
const isOperators = ({ account, plane }: BusUser): boolean => account === plane;

function announcedBy(name: string, users: readonly BusUser[]): StreamExport[] {
  const followers = users.filter(({ plane }) => plane === name);
  const announced = [...new Set(followers.flatMap(({ subscribe }) => subscribe.filter(isAnnounced)))];
  return announced.map((subject) => ({
    stream: subject,
    accounts: followers.filter(({ subscribe }) => subscribe.includes(subject)).map(({ account }) => account),
  }));
}

const isAnnounced = (subject: string): boolean => subject.startsWith('codase.changed.');

/** Returns the subjects that a user answers: its subscriptions, without its replies and changes of tables. An operator has none. */
const answeredBy = ({ subscribe }: BusUser) =>
  subscribe.filter((subject) => subject !== '>' && !subject.startsWith('_INBOX') && !isAnnounced(subject));

/** Returns how many answers a request may get, and how long the way back is kept for them. A person takes minutes to answer a challenge. */
function answersOf(subject: string): Pick<ServiceExport, 'response_type' | 'response_threshold'> {
  if (['codase.gateway.', 'codase.twofa.', 'codase.flows.'].some((requests) => subject.startsWith(requests)))
    return { response_threshold: '310s' };
  if (MANY_ANSWERS.some((many) => covers(many, subject) || subject.startsWith(many)))
    return { response_type: 'stream', response_threshold: '10s' };
  return PULLS.some((pull) => subject.startsWith(pull)) ? { response_type: 'stream', response_threshold: '35s' } : {};
}
/** Subjects that every replica answers, or that the server answers in parts. */
const MANY_ANSWERS = [filter(STATUS), filter(CLOCK_MOVED), '$JS.API.DIRECT.GET.'];
const PULLS = ['$JS.API.CONSUMER.MSG.NEXT.', '$JS.API.CONSUMER.*.*.'];

/** Returns the target of a mapping, which keeps the words in the places of wildcards. */
function numberPlaceholders(subject: string): string {
  let count = 0;
  return subject.replace(/(?<=\.)\*(?=\.|$)/g, () => `{{wildcard(${++count})}}`);
}
