import { hashPassword } from '@cds/platform';
import { BUILTIN_PLUGINS_FILE, DEMO, PEPPER_FILE, Secrets, type CredentialFactory } from '@cds/stack';
import { pluginKeyPem, SERVICE_KEYS } from '../keys.ts';

/** The demo company and its service have one key, everybody else the other: neither opens what is sealed to the other. */
const [ACME, OTHERS] = SERVICE_KEYS;
const OF_ACME = ['usr_demo_acme', 'ser_demo_shop'];

let hash: Promise<string> | undefined;

/** What everybody in a world signs in with. */
const PASSWORD = 'correct horse battery staple';
/** Who is in a world from the beginning or signs up in it pays this price and not 80 ms. */
export const CHEAP_HASH = { ln: 4, r: 8, p: 1 };

/** Making keys and hashes takes a while, so all worlds of a test worker share one password and two key pairs. */
export const sharedCredentials: CredentialFactory = {
  key: async (owner) => (OF_ACME.includes(owner) ? ACME : OTHERS),
  password: () => PASSWORD,
  passwordHash: () => (hash ??= hashPassword(PASSWORD, CHEAP_HASH)),
};

const CLIENTS = [DEMO.client_id, DEMO.account_client_id, DEMO.bolt.client_id, DEMO.bolt.account_client_id];
const PEPPER = Buffer.alloc(32, 'pepper').toString('base64');

/** Those of a world, in a folder or in memory. What the clients of the demo prove themselves with is the same in all worlds. */
export function worldSecrets(folder?: string): Secrets {
  const secrets = new Secrets(folder);
  secrets.put(PEPPER_FILE, PEPPER);
  secrets.put(BUILTIN_PLUGINS_FILE, pluginKeyPem());
  for (const client_id of CLIENTS) secrets.put(`clients/${client_id}`, `secret of ${client_id}`);
  return secrets;
}
