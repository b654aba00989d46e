import { OPERATOR_PREFIX } from '../core/platform-subjects.ts';
import { CLOCK_MOVED, filter, STATUS, tableChanges } from '../core/subjects.ts';
import { identitySubjects } from '../identity/subjects.ts';
import type { BusUser } from './bus-user.ts';

/** The tables of the front door that others follow. */
const FRONT_DOOR_TABLES = ['clients', 'modes', 'ended_sessions', 'field_types', 'device_keys', 'verification_providers'];

/** Accounts that were deleted: the front door writes and follows them, and the operator reads them after a restore. */
const DELETED_ACCOUNTS = 'deleted_accounts';

/** How far the audit of each database has come. Each database writes only its own mark. */
const RESTORE_MARKS = 'restore_marks';
/** Returns the name of the mark of a region, or of the front door when no region is given. */
export const restoreMark = (region?: string): string => (region === undefined ? 'front-door' : `region-${region}`);
const ownMark = (region?: string): string => `$KV.${RESTORE_MARKS}.${restoreMark(region)}`;

/** Requests with a password or a code, which only the process of the front door that it is sealed to can read. */
const WITH_PASSWORDS = [
  identitySubjects.checkPassword,
  identitySubjects.changePassword,
  identitySubjects.requestEmailChange,
  identitySubjects.judgeRecovery,
  identitySubjects.beginSecondFactor,
  identitySubjects.confirmSecondFactor,
  identitySubjects.renewBackupCodes,
  identitySubjects.endSecondFactor,
] as const;

/** Returns what a region asks of the front door, in its own name. */
const requestedOfFrontDoor = (region: string) => [
  `codase.front-door.v1.${region}.*`,
  ...WITH_PASSWORDS.map((subject) => filter(subject, { region })),
];

interface Rights {
  /** Subjects that the role asks, and subjects that it answers. */
  asks?: readonly string[];
  answers?: readonly string[];
  /** Buckets that the role reads, and buckets that it writes. */
  follows?: readonly string[];
  writes?: readonly string[];
}

const reads = (bucket: string) => [`$JS.API.STREAM.INFO.KV_${bucket}`, `$JS.API.DIRECT.GET.KV_${bucket}`];

/** Returns a role of the platform, alone in an account with its name. */
const role = (user: string, { asks = [], answers = [], follows = [], writes = [] }: Rights = {}): BusUser => ({
  user,
  account: user,
  plane: 'platform',
  publish: [...asks, ...follows.flatMap(reads), ...writes.map((bucket) => `$KV.${bucket}.>`)],
  subscribe: [
    `_INBOX_${user}.>`,
    filter(STATUS, { name: user }),
    filter(CLOCK_MOVED, { name: user }),
    ...answers,
    ...follows.map(tableChanges),
  ],
});

export const regionUser = (region: string): string => `platform-region-${region}`;

/**
 * Returns the users of the platform, one for each role and each region. Only an operator is in the account that has the streams: the server
 * sends an answer wherever the request says, and checks nobody's rights for it. So any other user of that account could make it write to
 * any bucket.
 */
export const platformUsers = (regions: readonly string[]): readonly BusUser[] => [
  { user: 'platform-operator', account: 'platform', plane: 'platform', publish: ['>'], subscribe: ['>'] },
  role('platform-front-door', {
    asks: [...regions.map((region) => `codase.region.v1.${region}.*`), ownMark()],
    answers: [...regions.flatMap(requestedOfFrontDoor), `${OPERATOR_PREFIX}.front-door.*`],
    follows: [...FRONT_DOOR_TABLES, RESTORE_MARKS, DELETED_ACCOUNTS],
    writes: [...FRONT_DOOR_TABLES, DELETED_ACCOUNTS],
  }),
  ...regions.map((region) =>
    role(regionUser(region), {
      asks: [
        ...requestedOfFrontDoor(region),
        ...regions.filter((other) => other !== region).map((other) => `codase.peer.v1.${other}.*`),
        `codase.delivery.v1.${region}.*`,
        ownMark(region),
      ],
      answers: [
        `codase.region.v1.${region}.*`,
        `codase.peer.v1.${region}.*`,
        `codase.plugins.v1.${region}.*`,
        `${OPERATOR_PREFIX}.region.${region}.*`,
      ],
      follows: [...FRONT_DOOR_TABLES, RESTORE_MARKS],
    }),
  ),
  role('platform-delivery', { answers: regions.map((region) => `codase.delivery.v1.${region}.*`), follows: ['modes'] }),
  role('platform-forwarder', { asks: regions.map((region) => `codase.plugins.v1.${region}.*`) }),
];
