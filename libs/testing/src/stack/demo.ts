import { generateKeyPairSync } from 'node:crypto';
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

export function demo(secrets: Secrets): Provision[] {
  const company_user_id = 'usr_demo_acme';
  const service_id = 'ser_demo_shop';
  return [
    {
      profile: { user_id: company_user_id, type: 'company', display_name: 'Acme', email: 'acme@demo.example', language: 'en', share_code: 'ACME', region: 'eu', public_key: publicKeyOf(secrets, company_user_id) },
      services: [{ service_id, company_user_id, name: 'Shop', share_code: 'SHOP', public_key: publicKeyOf(secrets, service_id) }],
      clients: [
        { client_id: DEMO.client_id, kind: 'service', service_id, client_secret: clientSecret(secrets, DEMO.client_id) },
        { client_id: DEMO.account_client_id, kind: 'account', service_id: null, client_secret: clientSecret(secrets, DEMO.account_client_id) },
      ],
    },
    ...PERSONS.map((person) => ({ profile: { ...person, type: 'person' as const, public_key: publicKeyOf(secrets, person.user_id) } })),
  ];
}

export const clientSecret = (secrets: Secrets, client_id: string): string => secrets.password(`clients/${client_id}`);

/** base64 of the DER SubjectPublicKeyInfo; the private half is kept beside it, for its owner alone. */
function publicKeyOf(secrets: Secrets, owner: string): string {
  return secrets.get(`keys/${owner}.public`, () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    secrets.put(`keys/${owner}.pem`, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    return publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  });
}
