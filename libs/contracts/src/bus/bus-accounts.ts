import { CLOCK_MOVED, covers, filter, PARKED, STATUS, type Subject } from '../core/subjects.ts';
import { FEED, WANTED_CONSUMERS } from '../feed-consumer/subjects.ts';
import { TURN_EVENT } from '../flows/subjects.ts';
import { CHALLENGE_COMPLETED } from '../twofa/subjects.ts';
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
 * Where the suite's streams are. Whoever makes consumers of a stream can have the server send anything within the stream's account, and so
 * delete that stream: it is therefore in the account of the one service that writes it and makes its consumers. What many write to is with
 * the operator.
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
  /** What a client says. */
  said: string;
  /** What that is called in the account of the asker, and of the one that answers. */
  here: string;
  there: string;
}

/**
 * Who shares an account. The server answers wherever a request says and looks at nobody's rights for it, so whoever shares an account with
 * a service can have the server write to it, and with a stream can have it deleted. Every service and every internal consumer is therefore
 * alone in an account: the server leads answers back into it, and what they say there reaches nobody. It imports what it may ask, one by
 * one, from the account that answers, which exports it to those alone.
 */
export function accountsOf(users: readonly BusUser[]): Record<string, BusAccount> {
  const names = [...new Set(users.map(({ account }) => account))];
  const crossings = names.flatMap((name) => crossingsOf(name, users));
  return Object.fromEntries(names.map((name) => [name, accountOf(name, users, crossings)]));
}

function accountOf(name: string, users: readonly BusUser[], crossings: readonly Crossing[]): BusAccount {
  const members = users.filter(({ account }) => account === name);
  const asked = crossings.filter(({ asker }) => asker === name);
  const answered = crossings.filter(({ answerer }) => answerer === name);
  const hereOf = new Map(asked.map(({ said, here }) => [said, here]));
  const exports = [
    ...[...new Set(answered.map(({ there }) => there))].map((there) => ({
      service: there,
      ...answersOf(there),
      accounts: [...new Set(answered.filter((crossing) => crossing.there === there).map(({ asker }) => asker))],
    })),
    ...announcedBy(name, users),
  ];
  const imports = [
    ...asked.map(({ answerer, there, here }) => ({ service: { account: answerer, subject: there }, to: here })),
    ...members.flatMap((user) =>
      user.subscribe.filter(isAnnounced).map((subject) => ({ stream: { account: user.plane as string, subject } })),
    ),
  ];
  const renamed = asked.filter(({ said, here }) => said !== here);
  return {
    users: members.map((user) => ({ ...user, publish: user.publish.map((subject) => hereOf.get(subject) ?? subject) })),
    jetstream: isOperators(members[0]!) || STREAM_ACCOUNTS.some(({ account }) => account === name),
    ...(exports.length > 0 && { exports }),
    ...(imports.length > 0 && { imports }),
    ...(renamed.length > 0 && { mappings: Object.fromEntries(renamed.map(({ said, here }) => [said, samePlaces(here)])) }),
  };
}

/** What is asked from an account and answered in another. */
function crossingsOf(asker: string, users: readonly BusUser[]): Crossing[] {
  const members = users.filter(({ account }) => account === asker);
  const { plane } = members[0]!;
  const others = users.filter((user) => user.plane === plane && user.account !== asker);
  if (isOperators(members[0]!))
    return others.flatMap((other) => askedByOperator(other).map((said) => crossing(plane, asker, other.account, said)));
  return [...new Set(members.flatMap(({ publish }) => publish))].flatMap((said) => {
    const answerer = accountAnswering(said, members[0]!, [...members, ...others]);
    return answerer === asker ? [] : [crossing(plane, asker, answerer, said, gateOf(said))];
  });
}

/** The server answers the API of streams itself, for those of the same account. What is meant for another account has another name. */
const crossing = (plane: string, asker: string, answerer: string, said: string, there = said): Crossing => ({
  asker,
  answerer,
  said,
  here: said.replace(/^\$JS\.API\./, `${plane}.js.api.`),
  there,
});

/** Whoever may say how a consumer is made can have it deliver anywhere in the stream's account, so what is said is read there first. */
const gateOf = (subject: string): string => subject.replace(/^\$JS\.API\.CONSUMER\.CREATE\./, `${WANTED_CONSUMERS}.`);

function accountAnswering(subject: string, { user, plane }: BusUser, users: readonly BusUser[]): string {
  const found =
    accountOfStream(subject, plane) ?? users.find((other) => answeredBy(other).some((answered) => covers(answered, subject)))?.account;
  if (found === undefined) throw new Error(`${user} may ask ${subject}, which nobody answers`);
  return found;
}

/** The account of the stream that a subject concerns or is stored in. All of the platform's are with its operator. */
function accountOfStream(subject: string, plane: string): string | undefined {
  if (plane === 'platform') return subject.startsWith('$') ? plane : undefined;
  const words = subject.split('.');
  return STREAM_ACCOUNTS.find(({ subject: stored }) =>
    subject.startsWith('$JS.') ? words.includes(stored.stream!) : covers(filter(stored), subject),
  )?.account;
}

/** An operator may ask all that a service answers, and everything of the streams that it has. */
const askedByOperator = (user: BusUser): string[] => [
  ...answeredBy(user).filter((subject) => !subject.startsWith(WANTED_CONSUMERS)),
  ...STREAM_ACCOUNTS.filter(({ account }) => account === user.account).flatMap(({ subject }) => [
    filter(subject),
    ...apiOf(subject.stream!),
  ]),
];

/** The server's API by which a stream and its consumers are managed and read. */
const apiOf = (stream: string): string[] => [
  ...['STREAM.*', 'STREAM.*.*', 'DIRECT.GET', 'CONSUMER.*'].map((verb) => `$JS.API.${verb}.${stream}`),
  ...['DIRECT.GET', 'CONSUMER.*', 'CONSUMER.*.*'].map((verb) => `$JS.API.${verb}.${stream}.>`),
  `$JS.ACK.${stream}.>`,
];

/** The operator's account is named like the plane. It has streams, and tells what they store to those who follow them. */
const isOperators = ({ account, plane }: BusUser): boolean => account === plane;

function announcedBy(name: string, users: readonly BusUser[]): StreamExport[] {
  const followers = users.filter(({ plane }) => plane === name);
  const announced = [...new Set(followers.flatMap(({ subscribe }) => subscribe.filter(isAnnounced)))];
  return announced.map((subject) => ({
    stream: subject,
    accounts: followers.filter(({ subscribe }) => subscribe.includes(subject)).map(({ account }) => account),
  }));
}

const isAnnounced = (subject: string): boolean => subject.startsWith('cds.changed.');

/** What a user subscribes to, but for its own replies and the changes of tables; an operator answers nothing. */
const answeredBy = ({ subscribe }: BusUser) =>
  subscribe.filter((subject) => subject !== '>' && !subject.startsWith('_INBOX') && !isAnnounced(subject));

/** How many answers a request may get, and how long the way back is kept for them. A person takes minutes to answer a challenge. */
function answersOf(subject: string): Pick<ServiceExport, 'response_type' | 'response_threshold'> {
  if (['cds.gateway.', 'cds.twofa.', 'cds.flows.'].some((asked) => subject.startsWith(asked))) return { response_threshold: '310s' };
  if (MANY_ANSWERS.some((many) => covers(many, subject) || subject.startsWith(many)))
    return { response_type: 'stream', response_threshold: '10s' };
  return PULLS.some((pull) => subject.startsWith(pull)) ? { response_type: 'stream', response_threshold: '35s' } : {};
}
/** Every replica answers these, or the server in parts. */
const MANY_ANSWERS = [filter(STATUS), filter(CLOCK_MOVED), '$JS.API.DIRECT.GET.'];
const PULLS = ['$JS.API.CONSUMER.MSG.NEXT.', '$JS.API.CONSUMER.*.*.'];

/** A mapping keeps what stands in the places of wildcards. */
function samePlaces(subject: string): string {
  let place = 0;
  return subject.replace(/(?<=\.)\*(?=\.|$)/g, () => `{{wildcard(${++place})}}`);
}
