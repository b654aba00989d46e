import { OPERATOR, STATUS } from '@codase/contracts';
import { Fault, readNumber, UsageFault } from '@codase/command-line';
import { poll } from '@codase/runtime/resilience';
import { TEXT, type Values } from '../command.ts';
import { basesIn, progressBeside, secretKeyFile, signingKeyFile, takeTurn, webhookKeyFile } from './key-files.ts';
import { nextStep, rotateKey, type KeyFile, type ReplicaKeys, type Rotation } from './key-rotation.ts';
import { operatorCommand, type Outcome } from './operator-command.ts';
import type { KeyFiles, Platform } from './platform.ts';
import { countOf, readReplicaCounts, uncounted, type ReplicaCounts } from './replica-counts.ts';

/** The lifetime of a token, and a little more for clocks that differ. */
const TOKEN_MS = 65 * 60_000;
/** A change that began with the old key is written within this time or not at all: statements and transactions may take ten seconds. */
const SETTLE_MS = 30_000;
const RESEAL_MS = 600_000;
const MAX_REPLICAS = 1000;
/** The forwarder signs nothing, and verifies passes with the keys of all bases. */
const FORWARDER = 'forwarder';
/** How long to wait for the answers of replicas, and how often to ask them. */
const POLLING = { answersMs: 2000, everyMs: 1000 };
const WAIT_MINUTES = 5;
/** How long deliveries are signed with the old key too, so that receivers read the new one. */
const OVERLAP_HOURS = 24;

const FILES = { file: TEXT, 'public-file': TEXT, 'delivery-file': TEXT };
const SWITCHES = { 'forget-unused': { type: 'boolean' }, 'dry-run': { type: 'boolean' } } as const;
const OPTIONS = { ...FILES, ...SWITCHES, replicas: TEXT, 'wait-minutes': TEXT, 'overlap-hours': TEXT };

type Options = Values<typeof OPTIONS>;

/** A service that reports a list of keys: `front-door`, `delivery`, `forwarder` or a region. */
interface Reporter {
  name: string;
  list: string;
  writes: boolean;
}

interface Plan {
  file: KeyFile;
  path: string;
  base: string;
  reporters: readonly Reporter[];
  inUse: Rotation['inUse'];
  /** The minutes to wait for each step, unless --wait-minutes gives another number; `WAIT_MINUTES` when absent. */
  waitMinutes?: number;
}

const SHARED_OPTIONS = '--replicas N|SERVICE=N,… [--wait-minutes N] [--dry-run]';
const HOW =
  'adds a key, puts it first when every replica has read it, and removes the old ones when nothing of them is in use; ' +
  'interrupted or out of time it goes on where it stopped when it is run again. It writes the files, so run it where they are; ' +
  '--replicas says how many replicas each service has, since one that does not answer would go on with the old list; ' +
  '--dry-run shows what they have read, and the next step. With npm start neither files nor --replicas need be named';

/** Makes a command that rotates the list of keys which the plan describes. */
const rotation = (usage: string, what: string, planOf: (platform: Platform, options: Options, base: string) => Promise<Plan>) =>
  operatorCommand({ usage: `${usage} ${SHARED_OPTIONS}`, what, options: OPTIONS }, (values, base) => {
    const counts = readCounts(values);
    return async (platform) => rotateOrCompare(platform, values, counts, await planOf(platform, values, base));
  });

export const rotateSigningKey = rotation(
  'rotate-signing-key BASE --file TOKEN_SIGNING_KEY_FILE --public-file TOKEN_KEYS_FILE',
  `the key that signs the tokens of front-door or a region, which takes 65 minutes, as long as its tokens live: ${HOW}`,
  async (platform, values, base) => {
    const path = fileOf(values, 'file', platform, (files) => files.signing(base));
    const known = fileOf(values, 'public-file', platform, (files) => files.public);
    const bases = basesIn(known);
    if (!bases.includes(base)) throw new Fault(`${known} has no base ${base}: it has ${bases.join(', ')}.`);
    return {
      file: signingKeyFile(await import('@codase/platform'), path, { path: known, base }),
      path,
      base,
      reporters: [
        { name: base, list: 'token_signing_key', writes: true },
        ...[...bases, FORWARDER].map((name) => ({ name, list: 'token_keys', writes: false })),
      ],
      inUse: tokensOfOldKey(platform),
      waitMinutes: TOKEN_MS / 60_000 + WAIT_MINUTES,
    };
  },
);

export const rotateIdTokenKey = rotation(
  'rotate-id-token-key --file ID_TOKEN_SIGNING_KEY_FILE',
  `the key that signs the id_token of sign-in apps; the old one is published for 65 minutes more: ${HOW}`,
  async (platform, values) => {
    const path = fileOf(values, 'file', platform, (files) => files.idTokens);
    return {
      file: signingKeyFile(await import('@codase/platform'), path),
      path,
      base: 'front-door',
      reporters: [{ name: 'front-door', list: 'id_token_signing_key', writes: true }],
      inUse: tokensOfOldKey(platform),
      waitMinutes: TOKEN_MS / 60_000 + WAIT_MINUTES,
    };
  },
);

export const rotatePepper = rotation(
  'rotate-pepper --file CLIENT_SECRET_PEPPER_FILE [--forget-unused]',
  'the pepper of client secrets, each of which is hashed anew when it is used; it says which clients have not used theirs since, ' +
    `and --forget-unused goes on without them: they need new secrets then. It ${HOW}`,
  async (platform, values) => {
    const path = fileOf(values, 'file', platform, (files) => files.pepper);
    return {
      file: secretKeyFile(await import('@codase/platform'), path),
      path,
      base: 'front-door',
      reporters: [{ name: 'front-door', list: 'client_secret_pepper', writes: true }],
      inUse: settled(platform, async () => {
        const { count, client_ids } = await platform.bus.request(OPERATOR.secretsUnderOldPeppers, {}, {});
        const more = count > client_ids.length ? ` and ${count - client_ids.length} more` : '';
        const clients = `${count} clients have not used their secret since: ${client_ids.join(' ')}${more}`;
        if (count > 0 && values['forget-unused']) sayOf(platform)(`  ${clients}; they need new secrets from now on`);
        if (count === 0 || values['forget-unused']) return undefined;
        return `${clients}; wait, let their companies make new secrets, or go on without them by --forget-unused`;
      }),
    };
  },
);

export const rotateStoredSecretsKey = rotation(
  'rotate-stored-secrets-key BASE --file STORED_SECRETS_KEY_FILE [--delivery-file STORED_SECRETS_KEYS_FILE]',
  'the key that seals the stored secrets of front-door or a region, which has them sealed anew; front-door needs no --delivery-file: ' +
    HOW,
  async (platform, values, base) => {
    const path = fileOf(values, 'file', platform, (files) => files.storedSecrets(base));
    const list = `stored_secrets_key.${base}`;
    const copy = isFrontDoor(base) ? [] : [{ path: fileOf(values, 'delivery-file', platform, (files) => files.delivery), member: base }];
    return {
      file: secretKeyFile(await import('@codase/platform'), path, ...copy),
      path,
      base,
      reporters: [{ name: base, list, writes: true }, ...copy.map(() => ({ name: 'delivery', list, writes: false }))],
      inUse: settled(platform, async () => {
        const result = await reseal(platform, base);
        if (result.unreadable > 0) sayOf(platform)(`  ${describeUnreadable(result)}`);
        return result.remaining === 0 ? undefined : `${result.remaining} secrets belong to companies that are moving just now`;
      }),
    };
  },
);

export const rotateWebhookKey = rotation(
  'rotate-webhook-key REGION --file WEBHOOK_SIGNING_KEYS_FILE --public-file WEBHOOK_KEYS_FILE [--overlap-hours N]',
  'the key that signs deliveries of a region by Standard Webhooks; for 24 hours, or as --overlap-hours says, both keys sign, so that ' +
    `receivers read the new one: ${HOW}`,
  async (platform, values, region) => {
    const path = fileOf(values, 'file', platform, (files) => files.webhookSigning);
    const known = fileOf(values, 'public-file', platform, (files) => files.webhooks);
    const regions = basesIn(path);
    if (!regions.includes(region)) throw new Fault(`${path} has no region ${region}: it has ${regions.join(', ')}.`);
    const overlapMs = readOverlap(values) * 60 * 60_000;
    return {
      file: webhookKeyFile(await import('@codase/platform'), { path, known, region }),
      path: `${path}.${region}`,
      base: region,
      reporters: [
        { name: 'delivery', list: `webhook_signing_key.${region}`, writes: true },
        ...['front-door', ...basesIn(known)].map((name) => ({ name, list: 'webhook_keys', writes: false })),
      ],
      inUse: async (first_since) => {
        const left = first_since.getTime() + overlapMs - nowOf(platform).getTime();
        return left <= 0 ? undefined : `receivers have ${Math.ceil(left / 60_000)} more minutes to read the new key`;
      },
      waitMinutes: overlapMs / 60_000 + WAIT_MINUTES,
    };
  },
);

const readOverlap = ({ 'overlap-hours': given }: Options): number =>
  readNumber('--overlap-hours', given, { mayBeZero: true }) ?? OVERLAP_HOURS;

export const resealSecrets = operatorCommand(
  {
    usage: 'reseal-secrets BASE',
    what:
      'seal the stored secrets of front-door or a region anew that are not under the key that writes now; ' +
      'it may run beside everything else, and again',
  },
  (_, base) => async (platform) => {
    const result = await reseal(platform, base);
    const said = `${result.resealed} sealed anew, ${result.remaining} left, ${result.unreadable} that no key opens.`;
    return { result, said: result.unreadable === 0 ? said : `${said}\n${describeUnreadable(result)}.` };
  },
);

/** What was sealed anew, and what no key opens: of the front door with the users who have it. */
interface Resealed {
  resealed: number;
  remaining: number;
  unreadable: number;
  unreadable_user_ids?: string[];
}

const isFrontDoor = (base: string): boolean => base === 'front-door';

const serviceOf = (name: string): string =>
  ['front-door', 'delivery', FORWARDER].includes(name) ? `platform-${name}` : `platform-region-${name}`;

const sayOf = ({ say = console.error }: Platform) => say;

const nowOf = ({ now }: Platform): Date => now?.() ?? new Date();

const reseal = ({ bus }: Platform, base: string): Promise<Resealed> =>
  isFrontDoor(base)
    ? bus.request(OPERATOR.resealFrontDoorSecrets, {}, {}, { timeout: RESEAL_MS })
    : bus.request(OPERATOR.resealSecrets, { region: base }, {}, { timeout: RESEAL_MS });

/**
 * Says what to do about secrets that no key of the list opens. They are no reason to wait: the old key does not open them either. Owners
 * cannot give the secrets of second factors again, because they cannot sign in.
 */
function describeUnreadable({ unreadable, unreadable_user_ids: users }: Resealed): string {
  if (users === undefined) return `${unreadable} secrets open with no key of the list: their owners have to give them again`;
  const more = unreadable > users.length ? ` and ${unreadable - users.length} more` : '';
  return (
    `${unreadable} second factors open with no key of the list, so their users cannot sign in: add the key that opens them behind the ` +
    `others, or switch them off by second-factor-off USER: ${users.join(' ')}${more}`
  );
}

/** Delays the end of a key until no token that it signed is valid. */
const tokensOfOldKey =
  (platform: Platform): Rotation['inUse'] =>
  async (first_since) => {
    const left = first_since.getTime() + TOKEN_MS - nowOf(platform).getTime();
    return left <= 0 ? undefined : `tokens of the old key live for up to ${Math.ceil(left / 60_000)} minutes`;
  };

/** Delays `look` until changes that began with the old key have been written. */
const settled =
  (platform: Platform, read: () => Promise<string | undefined>): Rotation['inUse'] =>
  async (first_since) => {
    const isSettled = nowOf(platform).getTime() >= first_since.getTime() + SETTLE_MS;
    return isSettled ? read() : `changes that began with the old key are given ${SETTLE_MS / 1000} seconds`;
  };

/** Returns the path of a file of keys: the one that the option names, or the one of npm start. */
function fileOf(
  options: Options,
  option: 'file' | 'public-file' | 'delivery-file',
  { keyFiles }: Platform,
  ofStack: (files: KeyFiles) => string,
): string {
  const path = options[option] ?? (keyFiles && ofStack(keyFiles));
  if (path === undefined) throw new UsageFault(`Name the file that the platform reads with --${option}.`);
  return path;
}

function readCounts(options: Options): ReplicaCounts | undefined {
  readWait(options, WAIT_MINUTES);
  return readReplicaCounts(options.replicas);
}

const readWait = (options: Options, otherwise: number): number =>
  readNumber('--wait-minutes', options['wait-minutes'], { mayBeZero: true }) ?? otherwise;

async function rotateOrCompare(platform: Platform, options: Options, given: ReplicaCounts | undefined, plan: Plan): Promise<Outcome> {
  const counts = given ?? platform.replicas;
  if (options['dry-run']) return compare(rotationOf(platform, options, counts, plan));
  await refuseUncounted(platform, counts, plan);
  const turn = takeTurn(plan.path);
  try {
    const new_id = await rotateKey(rotationOf(platform, options, counts, plan));
    return { result: { new_id }, said: `The key ${new_id} is the only one now.` };
  } finally {
    turn.release();
  }
}

/** Refuses when the number of replicas is not given. Asking cannot find it out: a replica that does not answer would not be counted. */
async function refuseUncounted(platform: Platform, counts: ReplicaCounts | undefined, { reporters }: Plan): Promise<void> {
  const unknown = uncounted(counts, [...new Set(reporters.map(({ name }) => name))]);
  if (unknown.length === 0) return;
  const answering = await Promise.all(unknown.map(async (name) => `${name}=${(await statusOf(platform, name)).length}`));
  throw new UsageFault(
    `Say with --replicas how many replicas ${unknown.join(', ')} have: one that does not answer just now cannot be seen, ` +
      `would go on with the old list, and refuse good callers. Those that answer now: --replicas ${answering.join(',')}.`,
  );
}

async function compare(rotation: Rotation): Promise<Outcome> {
  const keys = rotation.file.read().map(({ id }) => id);
  const replicas = await rotation.replicas();
  const next = nextStep(rotation);
  const lines = [
    `file       ${keys.join(' ')}`,
    ...replicas.map(({ service, writes, ids }) => `${writes ? 'writes' : 'reads '}     ${ids?.join(' ') ?? 'no answer'}  (${service})`),
    `next step  ${next}`,
  ];
  return { result: { keys, replicas, next }, said: lines.join('\n') };
}

/** Asks the replicas of a service for their status. When none listens, the bus reports an error, which counts as no answers. */
const statusOf = ({ bus, polling = POLLING }: Platform, name: string) =>
  bus.requestMany(STATUS, { name: serviceOf(name) }, {}, { most: MAX_REPLICAS, timeout: polling.answersMs }).catch(() => []);

function rotationOf(platform: Platform, options: Options, counts: ReplicaCounts | undefined, plan: Plan): Rotation {
  const { polling = POLLING } = platform;
  const withinMs = readWait(options, plan.waitMinutes ?? WAIT_MINUTES) * 60_000;
  const say = sayOf(platform);
  return {
    file: plan.file,
    progress: progressBeside(plan.path),
    replicas: () => reported(platform, counts, plan.reporters),
    inUse: plan.inUse,
    until: async (waitsFor, isTrue) => {
      say(`waiting until ${waitsFor}`);
      let reason = '';
      const isDone = await poll(
        async () => {
          const answer = await isTrue();
          if (answer !== true && answer !== reason) say(`  ${(reason = answer)}`);
          return answer === true || undefined;
        },
        { everyMs: polling.everyMs, withinMs },
      );
      if (!isDone) throw new Fault(`Not yet: ${waitsFor} (${reason}). Nothing is lost: run the same command again, it goes on here.`);
    },
    record: async (step, key_id) => {
      const { list } = plan.reporters.find(({ writes }) => writes)!;
      await platform.bus.request(OPERATOR.recordKeyChange, {}, { list, base: plan.base, key_id, step });
    },
    say,
    now: () => nowOf(platform),
  };
}

/** Returns what each replica reports, with an entry for each that should exist and does not answer. Each service is asked once. */
async function reported(platform: Platform, counts: ReplicaCounts | undefined, reporters: readonly Reporter[]): Promise<ReplicaKeys[]> {
  const names = [...new Set(reporters.map(({ name }) => name))];
  const answers = await Promise.all(names.map((name) => statusOf(platform, name)));
  const answering = reporters.flatMap(({ name, list, writes }) =>
    answers[names.indexOf(name)]!.map(({ keys }) => ({ service: serviceOf(name), writes, ids: keys?.[list] ?? [] })),
  );
  const missing = names.flatMap((name, nth) => {
    const count = counts ? countOf(counts, name) - answers[nth]!.length : 0;
    return Array.from({ length: Math.max(0, count) }, () => ({ service: serviceOf(name), writes: false, ids: undefined }));
  });
  return [...answering, ...missing];
}
