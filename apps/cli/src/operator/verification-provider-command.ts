import { readFileSync } from 'node:fs';
import {
  describeIssue,
  KEY_OVERLAP_DAYS,
  NewProviderKey,
  NewVerificationProvider,
  OPERATOR,
  type VerificationProvider,
} from '@codase/contracts';
import { Fault, readNumber, table, UsageFault } from '@codase/command-line';
import type { z } from 'zod';
import { oneOf, TEXT } from '../command.ts';
import { operatorCommand, type Outcome } from './operator-command.ts';
import type { Platform } from './platform.ts';

const VERBS = ['add', 'list', 'rotate-key', 'revoke-key', 'remove'] as const;
type Ask = (platform: Platform) => Promise<Outcome>;

/** Registers who may verify values of profiles, and by which keys. */
export const verificationProvider = operatorCommand(
  {
    usage: 'verification-provider VERB [ID] [FILE|KID] [--overlap-days N]',
    what:
      'add FILE: a provider as JSON (provider_id, name, field_types, max_days, keys); list; rotate-key ID FILE: one more public key, a ' +
      `JSON Web Key with kid, and the keys before it sign on for --overlap-days (${KEY_OVERLAP_DAYS.usual}); ` +
      'revoke-key ID KID and remove ID: nothing that the key or the provider signed is verified any more',
    options: { 'overlap-days': TEXT },
    words: 'any',
  },
  (values, given, ...words) => {
    const verb = oneOf(VERBS, 'VERB', given ?? '');
    const overlap_days = readNumber('--overlap-days', values['overlap-days'], { mayBeZero: true }) ?? KEY_OVERLAP_DAYS.usual;
    const asks: Record<(typeof VERBS)[number], { takes: number; ask(one: string, other: string): Ask }> = {
      add: { takes: 1, ask: (file) => add(readJson(file, NewVerificationProvider)) },
      list: { takes: 0, ask: () => list },
      'rotate-key': { takes: 2, ask: (id, file) => rotate(id, readJson(file, NewProviderKey), overlap_days) },
      'revoke-key': { takes: 2, ask: (id, kid) => revoke(id, kid) },
      remove: { takes: 1, ask: (id) => remove(id) },
    };
    const { takes, ask } = asks[verb];
    if (words.length !== takes) throw new UsageFault(`It is: ${verificationProvider.usage}.`);
    return ask(words[0] ?? '', words[1] ?? '');
  },
);

const add =
  (provider: z.infer<typeof NewVerificationProvider>): Ask =>
  async ({ bus }) => {
    await bus.request(OPERATOR.addVerificationProvider, {}, provider);
    return { result: provider, said: `${provider.provider_id} may verify ${provider.field_types.join(', ')}.` };
  };

const list: Ask = async ({ bus }) => {
  const { providers } = await bus.request(OPERATOR.listVerificationProviders, {}, {});
  const header = ['provider', 'name', 'verifies', 'days', 'keys'];
  return { result: providers, said: table([header, ...providers.map(rowOf)]) };
};

const rowOf = ({ provider_id, name, field_types, max_days, keys }: VerificationProvider): string[] => [
  provider_id,
  name,
  field_types.join(' '),
  String(max_days),
  keys.map(({ kid, until }) => (until === null ? kid : `${kid} (until ${until})`)).join(', ') || 'none',
];

const rotate =
  (provider_id: string, key: z.infer<typeof NewProviderKey>, overlap_days: number): Ask =>
  async ({ bus }) => {
    await bus.request(OPERATOR.rotateVerificationKey, {}, { provider_id, key, overlap_days });
    return {
      result: { provider_id, kid: key.kid },
      said: `${provider_id} signs with ${key.kid}; its other keys for ${overlap_days} days more.`,
    };
  };

const revoke =
  (provider_id: string, kid: string): Ask =>
  async ({ bus }) => {
    await bus.request(OPERATOR.revokeVerificationKey, {}, { provider_id, kid });
    return { result: { provider_id, kid }, said: `Nothing that ${kid} of ${provider_id} signed is verified any more.` };
  };

const remove =
  (provider_id: string): Ask =>
  async ({ bus }) => {
    await bus.request(OPERATOR.removeVerificationProvider, {}, { provider_id });
    return { result: { provider_id }, said: `${provider_id} is no provider any more, and nothing that it attested is verified.` };
  };

function readJson<S extends z.ZodType>(path: string, shape: S): z.output<S> {
  const read = shape.safeParse(parsed(path), { error: describeIssue });
  if (read.success) return read.data;
  const faults = read.error.issues.map((issue) => `  - ${issue.path.join('.') || 'the whole'}: ${issue.message}`);
  throw new Fault([`${path} does not hold what is needed:`, ...faults]);
}

function parsed(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : (error as NodeJS.ErrnoException).code;
    throw new Fault(`${path} cannot be read (${reason}).`, { cause: error });
  }
}
