import { createPublicKey } from 'node:crypto';
import { REGIONS, type UnitName } from './layout.ts';
import { pluginKey, randomKey, tokenSigningKey, webhookSigningKey, type Secrets } from './secrets.ts';

/** A base that signs tokens. */
export type BaseName = 'front-door' | (typeof REGIONS)[number];
const BASE_NAMES: readonly BaseName[] = ['front-door', ...REGIONS];

/** Returns the file of a base's signing keys. The front door's has an old name, from before regions had keys of their own. */
export const signingKeyFile = (base: BaseName): string =>
  base === 'front-door' ? 'token-signing-key.pem' : `token-signing-key.${base}.pem`;
const storedSecretsFile = (base: string): string => `stored-secrets-key.${base}`;
const SHARED_STORED_SECRETS_FILE = 'stored-secrets-key';
export const PEPPER_FILE = 'client-secret-pepper';

/** The keys that sign what sign-in apps get, of the front door alone. */
const ID_TOKEN_FILE = 'id-token-signing-key.pem';

/** The key that questions to built-in plugins are sealed to. */
export const BUILTIN_PLUGINS_FILE = 'builtin-plugins-key.pem';

/** The public keys of all bases, which every base reads. */
const TOKEN_KEYS_FILE = 'token-keys.json';
/** The keys of all regions, which the delivery reads. */
const STORED_SECRETS_KEYS_FILE = 'stored-secrets-keys.json';
/** The private keys of webhook deliveries of all regions, which the delivery alone reads, and their public keys. */
const WEBHOOK_SIGNING_KEYS_FILE = 'webhook-signing-keys.json';
const WEBHOOK_KEYS_FILE = 'webhook-keys.json';

/**
 * Returns the key files of each platform process, by the variable that names them. Each list of keys has one file and no copies: rotating a
 * key changes that file, and it is still the same after the next start.
 */
export function platformKeys(secrets: Secrets): Partial<Record<UnitName, Record<string, string>>> {
  secrets.derive(TOKEN_KEYS_FILE, JSON.stringify(publicKeys(secrets)));
  secrets.get(PEPPER_FILE, randomKey);
  secrets.get(ID_TOKEN_FILE, tokenSigningKey);
  secrets.get(storedSecretsFile('front-door'), randomKey);
  const stored = Object.fromEntries(REGIONS.map((name) => [name, storedSecretsKeys(secrets, name)]));
  secrets.derive(STORED_SECRETS_KEYS_FILE, JSON.stringify(stored));
  secrets.derive(WEBHOOK_KEYS_FILE, JSON.stringify(publicWebhookKeys(secrets)));
  const tokens = (base: BaseName) => ({
    TOKEN_SIGNING_KEY: signingKeyFile(base),
    TOKEN_KEYS: TOKEN_KEYS_FILE,
    WEBHOOK_KEYS: WEBHOOK_KEYS_FILE,
  });
  const region = (name: (typeof REGIONS)[number]) => ({ ...tokens(name), STORED_SECRETS_KEY: storedSecretsFile(name) });
  return {
    'front-door': {
      ...tokens('front-door'),
      ID_TOKEN_SIGNING_KEY: ID_TOKEN_FILE,
      CLIENT_SECRET_PEPPER: PEPPER_FILE,
      STORED_SECRETS_KEY: storedSecretsFile('front-door'),
    },
    'region-eu': region('eu'),
    'region-us': region('us'),
    delivery: { STORED_SECRETS_KEYS: STORED_SECRETS_KEYS_FILE, WEBHOOK_SIGNING_KEYS: WEBHOOK_SIGNING_KEYS_FILE },
    /** A getter, so that the key is made only when the forwarder is described: an RSA key takes long. */
    get forwarder() {
      secrets.get(BUILTIN_PLUGINS_FILE, pluginKey);
      return { TOKEN_KEYS: TOKEN_KEYS_FILE, BUILTIN_PLUGINS_KEY: BUILTIN_PLUGINS_FILE };
    },
  };
}

/** The same files, in the form that the commands for rotating keys expect. */
export const keyFilesIn = (secrets: Secrets) => ({
  signing: (base: string) => secrets.pathOf(signingKeyFile(base as BaseName)),
  public: secrets.pathOf(TOKEN_KEYS_FILE),
  idTokens: secrets.pathOf(ID_TOKEN_FILE),
  pepper: secrets.pathOf(PEPPER_FILE),
  storedSecrets: (base: string) => secrets.pathOf(storedSecretsFile(base)),
  delivery: secrets.pathOf(STORED_SECRETS_KEYS_FILE),
  webhookSigning: secrets.pathOf(WEBHOOK_SIGNING_KEYS_FILE),
  webhooks: secrets.pathOf(WEBHOOK_KEYS_FILE),
});

/** Returns the stored-secrets keys of a region. The key that regions shared before stays until all values are sealed again. */
function storedSecretsKeys(secrets: Secrets, region: (typeof REGIONS)[number]): string {
  const shared = secrets.has(SHARED_STORED_SECRETS_FILE) ? `\n${secrets.known(SHARED_STORED_SECRETS_FILE)}` : '';
  return secrets.get(storedSecretsFile(region), () => `${randomKey()}${shared}`);
}

/** Returns the public signing keys of all bases, which every base knows. */
function publicKeys(secrets: Secrets): Record<string, object[]> {
  return Object.fromEntries(BASE_NAMES.map((base) => [base, pemBlocks(secrets.get(signingKeyFile(base), tokenSigningKey)).map(publicKey)]));
}

/** Returns the public keys of webhook deliveries by region. The private ones are made at the first start. */
function publicWebhookKeys(secrets: Secrets): Record<string, object[]> {
  const made = () => JSON.stringify(Object.fromEntries(REGIONS.map((region) => [region, webhookSigningKey()])));
  const signing = JSON.parse(secrets.get(WEBHOOK_SIGNING_KEYS_FILE, made)) as Record<string, string>;
  return Object.fromEntries(Object.entries(signing).map(([region, text]) => [region, pemBlocks(text).map(publicKey)]));
}

const pemBlocks = (text: string): string[] => text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];

const publicKeysByPem = new Map<string, object>();

/** Derives a public key once: it takes two milliseconds, and each described unit asks for the keys of all bases. */
function publicKey(pem: string): object {
  const known = publicKeysByPem.get(pem);
  if (known) return known;
  const { kty, crv, x, y } = createPublicKey(pem).export({ format: 'jwk' });
  const key = { kty, crv, x, ...(y === undefined ? {} : { y }) };
  publicKeysByPem.set(pem, key);
  return key;
}
