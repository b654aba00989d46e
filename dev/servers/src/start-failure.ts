/** Why a server did not start, for callers that can do something about it. */
type StartFailureReason =
  | 'port_taken'
  | 'disk_full'
  | 'not_owner'
  | 'other_version'
  | 'damaged'
  | 'still_ending'
  | 'wrong_libraries'
  | 'unknown';

interface StartContext {
  server: 'Postgres' | 'nats-server';
  dir: string;
  port: number;
}

/** A server that did not start: what is wrong, how to mend it, and the last lines it wrote. */
export class StartFailure extends Error {
  readonly reason: StartFailureReason;

  constructor({ server, dir, port }: StartContext, tail: string, outcome: string) {
    const { reason, mend } = SIGNS.find(({ sign }) => sign.test(`${outcome}\n${tail}`)) ?? UNKNOWN;
    const sentence = mend.replaceAll('{port}', String(port)).replaceAll('{dir}', dir);
    super(`${server} did not start (${outcome}): ${sentence}${tail && `\nThe last lines of its log:\n${tail.replace(/^/gm, '  ')}`}`);
    this.name = 'StartFailure';
    this.reason = reason;
  }
}

interface Sign {
  reason: StartFailureReason;
  sign: RegExp;
  mend: string;
}

const UNKNOWN: Sign = { reason: 'unknown', sign: /^/, mend: 'see its log; its folder is {dir}.' };

/** The first sign found in the log names the reason, so the more certain ones come first. */
const SIGNS: Sign[] = [
  {
    reason: 'port_taken',
    sign: /address already in use|port is already allocated/i,
    mend: 'port {port} is taken by another program. Stop that program or choose another port.',
  },
  {
    reason: 'disk_full',
    sign: /no space left on device/i,
    mend: 'the disk is full. Free some space and start again.',
  },
  {
    reason: 'wrong_libraries',
    sign: /error while loading shared libraries|GLIBC_[\d.]+' not found|is not there|spawn .* ENOENT/,
    mend: 'its program does not fit this system (Alpine, without glibc, is not supported). Set DATABASE_URL to a running Postgres.',
  },
  {
    reason: 'still_ending',
    sign: /pre-existing shared memory block|lock file "postmaster\.pid" already exists|already serving/,
    mend: 'an earlier one still runs in {dir}. Stop it and start again.',
  },
  {
    reason: 'other_version',
    sign: /incompatible with server/,
    mend: 'the data in {dir} was made by another version of Postgres. Move it over with the old version, or delete the folder.',
  },
  {
    reason: 'not_owner',
    sign: /wrong ownership|permission denied|EACCES/i,
    mend: 'the files in {dir} belong to another user. Run as the user who made them, or delete the folder.',
  },
  {
    reason: 'damaged',
    sign: /PG_VERSION|pg_control|postgresql\.conf|pg_hba\.conf|checkpoint record|could not open directory|checksum|invalid page/,
    mend: 'the data in {dir} is damaged. Restore the folder from a backup, or delete it to start empty.',
  },
];
