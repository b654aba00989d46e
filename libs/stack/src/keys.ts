import { createPublicKey } from 'node:crypto';
import { REGIONS, type UnitName } from './layout.ts';
import { randomKey, tokenSigningKey, type Secrets } from './secrets.ts';

/** A base that signs tokens. */
export type BaseName = 'front-door' | (typeof REGIONS)[number];
export const BASE_NAMES: readonly BaseName[] = ['front-door', ...REGIONS];

/** The file of a base's signing keys. Before regions had keys of their own all had that of the front door: it keeps its name. */
export const signingKeyFile = (base: BaseName): string =>
  base === 'front-door' ? 'token-signing-key.pem' : `token-signing-key.${base}.pem`;
export const storedSecretsFile = (region: string): string => `stored-secrets-key.${region}`;
const SHARED_STORED_SECRETS_FILE = 'stored-secrets-key';
export const PEPPER_FILE = 'client-secret-pepper';

/** The keys of each process of the platform, as the variables that it reads them from. */
export function platformKeys(secrets: Secrets): Partial<Record<UnitName, Record<string, string>>> {
  const TOKEN_KEYS = JSON.stringify(publicKeys(secrets));
  const tokens = (base: BaseName) => ({ TOKEN_SIGNING_KEY: secrets.get(signingKeyFile(base), tokenSigningKey), TOKEN_KEYS });
  const CLIENT_SECRET_PEPPER = secrets.get(PEPPER_FILE, randomKey);
  const region = (name: (typeof REGIONS)[number]) => ({
    ...tokens(name),
    STORED_SECRETS_KEY: storedSecretsKeys(secrets, name),
  });
  return {
    'front-door': { ...tokens('front-door'), CLIENT_SECRET_PEPPER },
    'region-eu': region('eu'),
    'region-us': region('us'),
    delivery: { STORED_SECRETS_KEYS: JSON.stringify(Object.fromEntries(REGIONS.map((name) => [name, storedSecretsKeys(secrets, name)]))) },
  };
}

/** Before regions had keys of their own they shared one: what was written with it is read until it is sealed anew. */
function storedSecretsKeys(secrets: Secrets, region: (typeof REGIONS)[number]): string {
  const shared = secrets.has(SHARED_STORED_SECRETS_FILE) ? `\n${secrets.known(SHARED_STORED_SECRETS_FILE)}` : '';
  return secrets.get(storedSecretsFile(region), () => `${randomKey()}${shared}`);
}

/** What every base knows of the keys of the others. */
function publicKeys(secrets: Secrets): Record<string, object[]> {
  return Object.fromEntries(BASE_NAMES.map((base) => [base, pemBlocks(secrets.get(signingKeyFile(base), tokenSigningKey)).map(publicKey)]));
}

export const pemBlocks = (text: string): string[] => text.match(/-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----/g) ?? [];

function publicKey(pem: string): object {
  const { kty, crv, x, y } = createPublicKey(pem).export({ format: 'jwk' });
  return { kty, crv, x, y };
}
