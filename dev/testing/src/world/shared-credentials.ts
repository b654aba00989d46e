import { hashPassword } from '@codase/platform';
import { BUILTIN_PLUGINS_FILE, DEMO, PEPPER_FILE, Secrets, type CredentialFactory } from '@codase/stack';
import { pluginKeyPem, SERVICE_KEYS } from '../keys.ts';

/**
 * The two key pairs: the demo company and its service share one, all others share the other. Neither opens values that are sealed to the
 * other.
 */
const [ACME, OTHERS] = SERVICE_KEYS;
const OF_ACME = ['usr_demo_acme', 'ser_demo_shop'];

let hash: Promise<string> | undefined;

/** The password of every user in a world. */
const PASSWORD = 'correct horse battery staple';
/** The cost of a password hash in a world: the production cost would take 80 ms per hash. */
export const CHEAP_HASH = { ln: 4, r: 8, p: 1 };

/** The credentials that all worlds of a test worker share, one password and two key pairs, because making keys and hashes takes long. */
export const sharedCredentials: CredentialFactory = {
  key: async (owner) => (OF_ACME.includes(owner) ? ACME : OTHERS),
  password: () => PASSWORD,
  passwordHash: () => (hash ??= hashPassword(PASSWORD, CHEAP_HASH)),
};

const CLIENTS = [DEMO.client_id, DEMO.account_client_id, DEMO.bolt.client_id, DEMO.bolt.account_client_id];
const PEPPER = Buffer.alloc(32, 'pepper').toString('base64');

/** Makes the secrets of a world, in a folder or in memory. The secrets of the demo's clients are the same in all worlds. */
export function worldSecrets(folder?: string): Secrets {
  const secrets = new Secrets(folder);
  secrets.put(PEPPER_FILE, PEPPER);
  secrets.put(BUILTIN_PLUGINS_FILE, pluginKeyPem());
  for (const client_id of CLIENTS) secrets.put(`clients/${client_id}`, `secret of ${client_id}`);
  return secrets;
}
