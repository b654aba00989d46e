import { createServiceKey, randomToken, type ServiceKey } from '@codase/crypto';
import type { Profile, Provision } from '@codase/platform';
import type { Secrets } from './secrets.ts';

/** The demo: in each region persons, and a company with a service. Private keys and passwords are in the secrets folder. */
export const DEMO = {
  service: 'shop',
  client_id: 'svc_demo_shop',
  account_client_id: 'acct_demo',
  /** A company's own service, which calls the gateway over the bus. */
  consumer: 'shop-backend',
  /** The handler groups of that service. */
  groups: ['customers', 'cli'],
  /** The owners of the private keys that the decryptor gets, by the names under which it knows them. */
  keys: { shop: 'ser_demo_shop', account: 'usr_demo_acme' },
  /** The clients of the second company. */
  bolt: { client_id: 'svc_demo_bolt', account_client_id: 'acct_demo_bolt' },
} as const;

type Described = Pick<Profile, 'user_id' | 'display_name' | 'email' | 'language' | 'share_code' | 'region'>;

const PERSONS: readonly Described[] = [
  { user_id: 'usr_demo_ana', display_name: 'Ana Lind', email: 'ana@demo.example', language: 'sv', share_code: 'ANA', region: 'eu' },
  { user_id: 'usr_demo_ben', display_name: 'Ben Okafor', email: 'ben@demo.example', language: 'en', share_code: 'BEN', region: 'us' },
  {
    user_id: 'usr_demo_chiara',
    display_name: 'Chiara Rossi',
    email: 'chiara@demo.example',
    language: 'it',
    share_code: 'CHIARA',
    region: 'eu',
  },
];

interface DescribedCompany extends Described {
  service: { service_id: string; name: string; share_code: string };
  client_id: string;
  account_client_id: string;
}

const COMPANIES: readonly DescribedCompany[] = [
  {
    user_id: 'usr_demo_acme',
    display_name: 'Acme',
    email: 'acme@demo.example',
    language: 'en',
    share_code: 'ACME',
    region: 'eu',
    service: { service_id: 'ser_demo_shop', name: 'Shop', share_code: 'SHOP' },
    client_id: DEMO.client_id,
    account_client_id: DEMO.account_client_id,
  },
  {
    user_id: 'usr_demo_bolt',
    display_name: 'Bolt',
    email: 'bolt@demo.example',
    language: 'en',
    share_code: 'BOLT',
    region: 'us',
    service: { service_id: 'ser_demo_bolt', name: 'Desk', share_code: 'DESK' },
    ...DEMO.bolt,
  },
];

/** Makes keys, passwords and hashes, which takes long. Tests may share some. */
export interface CredentialFactory {
  key(owner: string): Promise<ServiceKey>;
  password(): string;
  passwordHash(password: string): Promise<string>;
}

/** Makes new keys and passwords for each owner. */
export const newCredentials: CredentialFactory = {
  key: createServiceKey,
  password: () => randomToken(18),
  passwordHash: async (password) => (await import('@codase/platform')).hashPassword(password),
};

/** Returns the users and services to add. Their secrets stay the same from one start to the next. */
export async function demo(secrets: Secrets, credentials: CredentialFactory = newCredentials): Promise<Provision[]> {
  const companies = COMPANIES.map(async ({ service, client_id, account_client_id, ...described }): Promise<Provision> => ({
    profile: { ...(await profileOf(secrets, described, credentials)), type: 'company', level: 'business' },
    services: [
      {
        ...service,
        company_user_id: described.user_id,
        admin_email: described.email,
        ...(await keysOf(secrets, service.service_id, credentials)),
      },
    ],
    clients: [
      { client_id, kind: 'service', service_id: service.service_id, client_secret: clientSecret(secrets, client_id) },
      { client_id: account_client_id, kind: 'account', service_id: null, client_secret: clientSecret(secrets, account_client_id) },
    ],
  }));
  const persons = PERSONS.map(async (described): Promise<Provision> => ({ profile: await profileOf(secrets, described, credentials) }));
  return Promise.all([...companies, ...persons]);
}

const profileOf = async (secrets: Secrets, described: Described, credentials: CredentialFactory): Promise<Profile> => ({
  ...described,
  type: 'person',
  level: 'free',
  ...(await keysOf(secrets, described.user_id, credentials)),
  password_hash: await passwordHashOf(secrets, described.user_id, credentials),
});

export const clientSecret = (secrets: Secrets, client_id: string): string => secrets.password(`clients/${client_id}`);

export const passwordOf = (secrets: Secrets, user_id: string): string => secrets.known(`people/${user_id}`);

/** Returns the encrypted private key (PEM) and its passphrase, which are in the secrets folder for their owner alone. */
export const privateKeyOf = (secrets: Secrets, owner: string): { pem: string; passphrase: string } => ({
  pem: secrets.known(`keys/${owner}.pem`),
  passphrase: secrets.known(`keys/${owner}.passphrase`),
});

async function keysOf(
  secrets: Secrets,
  owner: string,
  credentials: CredentialFactory,
): Promise<Pick<Profile, 'public_key' | 'encrypted_private_key'>> {
  const name = `keys/${owner}.public`;
  if (!secrets.has(name)) {
    const { pem, passphrase, public_key, encrypted_private_key } = await credentials.key(owner);
    secrets.put(`keys/${owner}.pem`, pem);
    secrets.put(`keys/${owner}.passphrase`, passphrase);
    secrets.put(`keys/${owner}.encrypted`, JSON.stringify(encrypted_private_key));
    secrets.put(name, public_key); // written last: after an interrupted start, a whole new pair is made
  }
  // A stack whose first start was before accounts had their own keys has no such file.
  const encrypted = secrets.has(`keys/${owner}.encrypted`) ? secrets.known(`keys/${owner}.encrypted`) : 'null';
  return { public_key: secrets.known(name), encrypted_private_key: JSON.parse(encrypted) as Profile['encrypted_private_key'] };
}

async function passwordHashOf(secrets: Secrets, user_id: string, credentials: CredentialFactory): Promise<string> {
  const name = `people/${user_id}.hash`;
  const password = secrets.get(`people/${user_id}`, credentials.password);
  if (!secrets.has(name)) secrets.put(name, await credentials.passwordHash(password));
  return secrets.known(name);
}
