import { createServiceKey, type ServiceKey } from '@cds/crypto';
import type { Provision } from '@cds/platform';
import type { Secrets } from './secrets.ts';

/** The demo: a company in `eu` with one service, and persons of both regions. Private keys stay in the secrets folder, as on a phone. */
export const DEMO = {
  service: 'shop',
  client_id: 'svc_demo_shop',
  account_client_id: 'acct_demo',
  /** A company's own service, which asks the gateway over the bus. */
  consumer: 'shop-backend',
} as const;

const PERSONS = [
  { user_id: 'usr_demo_ana', display_name: 'Ana Lind', email: 'ana@demo.example', language: 'sv', share_code: 'ANA', region: 'eu' },
  { user_id: 'usr_demo_ben', display_name: 'Ben Okafor', email: 'ben@demo.example', language: 'en', share_code: 'BEN', region: 'us' },
  { user_id: 'usr_demo_chiara', display_name: 'Chiara Rossi', email: 'chiara@demo.example', language: 'it', share_code: 'CHIARA', region: 'eu' },
] as const;

/** Makes the key pair of an owner; a test may share some, as making one takes a while. */
export type MakeKey = (owner: string) => Promise<ServiceKey>;

export async function demo(secrets: Secrets, makeKey: MakeKey = createServiceKey): Promise<Provision[]> {
  const company_user_id = 'usr_demo_acme';
  const service_id = 'ser_demo_shop';
  const key = (owner: string) => publicKeyOf(secrets, owner, makeKey);
  const company: Provision = {
    profile: { user_id: company_user_id, type: 'company', display_name: 'Acme', email: 'acme@demo.example', language: 'en', share_code: 'ACME', region: 'eu', public_key: await key(company_user_id) },
    services: [{ service_id, company_user_id, name: 'Shop', share_code: 'SHOP', public_key: await key(service_id) }],
    clients: [
      { client_id: DEMO.client_id, kind: 'service', service_id, client_secret: clientSecret(secrets, DEMO.client_id) },
      { client_id: DEMO.account_client_id, kind: 'account', service_id: null, client_secret: clientSecret(secrets, DEMO.account_client_id) },
    ],
  };
  const persons = await Promise.all(PERSONS.map(async (person): Promise<Provision> => ({ profile: { ...person, type: 'person', public_key: await key(person.user_id) } })));
  return [company, ...persons];
}

export const clientSecret = (secrets: Secrets, client_id: string): string => secrets.password(`clients/${client_id}`);

/** The private half, as an encrypted PEM, and its passphrase lie in the secrets folder, for their owner alone. */
export const privateKeyOf = (secrets: Secrets, owner: string): { pem: string; passphrase: string } => ({
  pem: secrets.known(`keys/${owner}.pem`),
  passphrase: secrets.known(`keys/${owner}.passphrase`),
});

async function publicKeyOf(secrets: Secrets, owner: string, makeKey: MakeKey): Promise<string> {
  const name = `keys/${owner}.public`;
  if (!secrets.has(name)) {
    const { pem, passphrase, public_key } = await makeKey(owner);
    secrets.put(`keys/${owner}.pem`, pem);
    secrets.put(`keys/${owner}.passphrase`, passphrase);
    secrets.put(name, public_key); // last: a start that was interrupted makes a whole new pair
  }
  return secrets.known(name);
}
