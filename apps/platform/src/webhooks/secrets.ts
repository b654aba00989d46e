import { AUTH_SECRETS, Masked, Refusal, type Input, type WebhookAuth, type webhooks } from '@cds/contracts';
import { randomToken } from '@cds/crypto';

/** The secrets a webhook may have, whichever way it authenticates. @spec D1-2.9 */
export const SECRETS = ['hmac_secret', 'auth_token', 'auth_username', 'auth_password', 'auth_header_name', 'auth_header_value'] as const;
type SecretName = (typeof SECRETS)[number];
export type Secrets = Partial<Record<SecretName, string>>;
export type WebhookBody = Input<typeof webhooks.changeWebhook>['body'];

const BULLETS = '••••';
/** Characters that are shown, and the length from which they do not give the secret away. @spec D1-2.9 @gap D1-2.9 */
const SHOWN = { last: 4, from: 8 } as const;

/** Four bullets and the last four characters; of a short secret the bullets alone. @spec D1-2.9 @gap D1-2.9 */
export function mask(secret: string): string {
  const characters = [...secret];
  return BULLETS + (characters.length < SHOWN.from ? '' : characters.slice(-SHOWN.last).join(''));
}

/** What a reader sees of the secrets; null for one that is not there. */
export function maskAll(secrets: Secrets): Record<SecretName, string | null> {
  const masked = SECRETS.map((name) => [name, secrets[name] === undefined ? null : mask(secrets[name])] as const);
  return Object.fromEntries(masked) as Record<SecretName, string | null>;
}

/** The secrets after a write: one that is left out, or comes back as its mask, stays as it is. @spec D1-2.9 */
export function mergeSecrets(stored: Secrets, given: WebhookBody): Secrets {
  const merged = { ...stored };
  for (const name of SECRETS) {
    const secret = given[name];
    if (secret === undefined || (stored[name] !== undefined && secret === mask(stored[name]))) continue;
    if (Masked.safeParse(secret).success) throw authInvalid(`${name}: is the mask of another secret; leave it out to keep the stored one`);
    merged[name] = secret;
  }
  return merged;
}

export interface CompleteSecrets {
  secrets: Secrets;
  /** Shown this once. */
  hmac_secret_once?: string;
}

/** Checks that nothing is missing; an HMAC secret that nobody gave is made. @spec D1-2.9 @gap D1-2.9 */
export function completeSecrets(auth_type: WebhookAuth, secrets: Secrets): CompleteSecrets {
  const missing = AUTH_SECRETS[auth_type].filter((name) => secrets[name] === undefined);
  if (missing.length > 0) throw authInvalid(`${missing.join(', ')}: is missing; auth_type ${auth_type} needs it`);
  if (auth_type !== 'hmac' || secrets.hmac_secret !== undefined) return { secrets };
  const hmac_secret = randomToken();
  return { secrets: { ...secrets, hmac_secret }, hmac_secret_once: hmac_secret };
}

const authInvalid = (reason: string) => new Refusal('services.webhook_auth_invalid').because(reason);
