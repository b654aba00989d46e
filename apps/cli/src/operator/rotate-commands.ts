import { OPERATOR, STATUS } from '@cds/contracts';
import { Fault, readArguments, readNumber, UsageFault } from '@cds/command-line';
import { poll } from '@cds/runtime/resilience';
import { basesIn, progressBeside, secretKeyFile, signingKeyFile } from './key-files.ts';
import { nextStep, rotateKey, type KeyFile, type Rotation } from './key-rotation.ts';
import type { OperatorCommand, Outcome } from './operator-command.ts';
import type { Platform } from './platform.ts';

/** How long a token lives, and a little more for clocks that differ. */
const TOKEN_MS = 65 * 60_000;
const RESEAL_MS = 600_000;
/** Replicas that are asked how they are: as many as answer within this time. */
const ANSWERS = { most: 1000, timeout: 2000 };
const EVERY_MS = 1000;

const OPTIONS = {
  file: { type: 'string' },
  'public-file': { type: 'string' },
  'delivery-file': { type: 'string' },
  replicas: { type: 'string' },
  'wait-minutes': { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const;

type Options = ReturnType<typeof readArguments<typeof OPTIONS>>['values'];

/** Who reports a list, under which name. */
interface Reporter {
  service: string;
  list: string;
}

interface Plan {
  file: KeyFile;
  path: string;
  writers: readonly Reporter[];
  readers: readonly Reporter[];
  inUse: Rotation['inUse'];
}

const COMMON = '[--replicas N] [--wait-minutes N] [--dry-run]';
const HOW =
  'adds a key, puts it first when every replica has read it, and removes the old ones when nothing of them is in use; ' +
  'interrupted or out of time it goes on where it stopped when it is run again; --dry-run shows the next step';

export const rotateSigningKey: OperatorCommand = {
  usage: `rotate-signing-key BASE --file TOKEN_SIGNING_KEY_FILE --public-file TOKEN_KEYS_FILE ${COMMON}`,
  what: `the key that signs the tokens of front-door or a region: ${HOW}, 65 minutes later`,
  read: (words) => {
    const { values, positionals } = readArguments(words, OPTIONS);
    const [base, path, known] = [positionals[0], values.file, values['public-file']];
    if (positionals.length !== 1 || !path || !known) throw new UsageFault(`It is: ${rotateSigningKey.usage}.`);
    return async (platform) => {
      const file = signingKeyFile(await import('@cds/platform'), path, { path: known, base: base! });
      const bases = basesIn(known);
      if (!bases.includes(base!)) throw new Fault(`${known} has no base ${base}: it has ${bases.join(', ')}.`);
      return rotateOrLook(platform, values, {
        file,
        path,
        writers: [{ service: serviceOf(base!), list: 'token_signing_key' }],
        readers: bases.map((one) => ({ service: serviceOf(one), list: 'token_keys' })),
        inUse: async (first_since) => {
          const left = first_since.getTime() + TOKEN_MS - Date.now();
          return left <= 0 ? undefined : `tokens of the old key live for up to ${Math.ceil(left / 60_000)} minutes`;
        },
      });
    };
  },
};

export const rotatePepper: OperatorCommand = {
  usage: `rotate-pepper --file CLIENT_SECRET_PEPPER_FILE ${COMMON}`,
  what: `the pepper of client secrets, each of which is hashed anew when it is used: ${HOW}, or says which clients remain`,
  read: (words) => {
    const { values, positionals } = readArguments(words, OPTIONS);
    const path = values.file;
    if (positionals.length > 0 || !path) throw new UsageFault(`It is: ${rotatePepper.usage}.`);
    return async (platform) =>
      rotateOrLook(platform, values, {
        file: secretKeyFile(await import('@cds/platform'), path),
        path,
        writers: [{ service: serviceOf('front-door'), list: 'client_secret_pepper' }],
        readers: [],
        inUse: async () => {
          const { count, client_ids } = await platform.bus.request(OPERATOR.secretsUnderOldPeppers, {}, {});
          if (count === 0) return undefined;
          const more = count > client_ids.length ? ` and ${count - client_ids.length} more` : '';
          return `${count} clients have not used their secret since, or need a new one: ${client_ids.join(' ')}${more}`;
        },
      });
  },
};

export const rotateStoredSecretsKey: OperatorCommand = {
  usage: `rotate-stored-secrets-key REGION --file STORED_SECRETS_KEY_FILE --delivery-file STORED_SECRETS_KEYS_FILE ${COMMON}`,
  what: `the key that seals the stored secrets of a region, which are sealed anew: ${HOW}`,
  read: (words) => {
    const { values, positionals } = readArguments(words, OPTIONS);
    const [region, path, delivery] = [positionals[0], values.file, values['delivery-file']];
    if (positionals.length !== 1 || !path || !delivery) throw new UsageFault(`It is: ${rotateStoredSecretsKey.usage}.`);
    return async (platform) => {
      const list = `stored_secrets_key.${region}`;
      return rotateOrLook(platform, values, {
        file: secretKeyFile(await import('@cds/platform'), path, { path: delivery, member: region! }),
        path,
        writers: [{ service: serviceOf(region!), list }],
        readers: [{ service: 'platform-delivery', list }],
        inUse: async () => describeRest(await reseal(platform, region!)),
      });
    };
  },
};

export const resealSecrets: OperatorCommand = {
  usage: 'reseal-secrets REGION',
  what: 'seal the stored secrets of a region anew that are not under the key that writes now; it may run beside everything else, and again',
  read: (words) => {
    if (words.length !== 1) throw new UsageFault(`It is: ${resealSecrets.usage}.`);
    return async (platform) => {
      const result = await reseal(platform, words[0]!);
      return { result, said: `${result.resealed} sealed anew, ${result.remaining} left, ${result.unreadable} that no key opens.` };
    };
  },
};

const serviceOf = (base: string): string => (base === 'front-door' ? 'platform-front-door' : `platform-region-${base}`);

const reseal = ({ bus }: Platform, region: string) => bus.request(OPERATOR.resealSecrets, { region }, {}, { timeout: RESEAL_MS });

/** Those that no key opens are no reason to wait: the old key does not open them either. */
const describeRest = ({ remaining }: { remaining: number }): string | undefined =>
  remaining === 0 ? undefined : `${remaining} secrets belong to companies that are moving just now`;

async function rotateOrLook(platform: Platform, options: Options, plan: Plan): Promise<Outcome> {
  const rotation = rotationOf(platform, options, plan);
  if (options['dry-run']) return look(rotation);
  const new_id = await rotateKey(rotation);
  return { result: { new_id }, said: `The key ${new_id} is the only one now.` };
}

async function look(rotation: Rotation): Promise<Outcome> {
  const keys = rotation.file.read().map(({ id }) => id);
  const { writers, readers } = await rotation.reported();
  const next = nextStep(rotation);
  const lines = [
    `file       ${keys.join(' ')}`,
    ...writers.map((ids) => `writes     ${ids.join(' ')}`),
    ...readers.map((ids) => `reads      ${ids.join(' ')}`),
    `next step  ${next}`,
  ];
  return { result: { keys, writers, readers, next }, said: lines.join('\n') };
}

function rotationOf({ bus }: Platform, options: Options, { file, path, writers, readers, inUse }: Plan): Rotation {
  const withinMs = (readNumber('--wait-minutes', options['wait-minutes'], { mayBeZero: true }) ?? 5) * 60_000;
  const least = readNumber('--replicas', options.replicas) ?? 1;
  const say = (line: string) => console.error(line);
  const reportedBy = async ({ service, list }: Reporter): Promise<string[][]> => {
    const replicas = await bus.requestMany(STATUS, { name: service }, {}, ANSWERS);
    if (replicas.length < least) throw new Fault(`${service} has ${replicas.length} replicas that answer: there should be ${least}.`);
    return replicas.map(({ keys }) => keys?.[list] ?? []);
  };
  const reportedByAll = async (reporters: readonly Reporter[]) => (await Promise.all(reporters.map(reportedBy))).flat();
  return {
    file,
    progress: progressBeside(path),
    reported: async () => ({ writers: await reportedByAll(writers), readers: await reportedByAll(readers) }),
    inUse,
    until: async (waitsFor, isTrue) => {
      say(`waiting until ${waitsFor}`);
      let reason = '';
      const isDone = await poll(
        async () => {
          const answer = await isTrue();
          if (typeof answer === 'string' && answer !== reason) say(`  ${(reason = answer)}`);
          return answer === true || undefined;
        },
        { everyMs: EVERY_MS, withinMs },
      );
      if (!isDone) throw new Fault(`Not yet true: ${waitsFor}.${reason && ` ${reason}.`} Run the command again later: it goes on here.`);
    },
    say,
    now: () => new Date(),
  };
}
