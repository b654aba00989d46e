import {
  AUTH_SECRETS,
  HMAC_ROTATION_HOURS,
  Masked,
  Refusal,
  STANDARD_HEADERS,
  STANDARD_SECRET_BYTES,
  type Input,
  type webhooks,
} from '@codase/contracts';
import { randomBytes, randomToken, standardSecretBytes } from '@codase/crypto';
import { mask } from '../../kit/mask.ts';

/** The secrets a webhook may have, whichever way it authenticates. @spec D1-2.9 */
export const SECRETS = ['hmac_secret', 'auth_token', 'auth_username', 'auth_password', 'auth_header_name', 'auth_header_value'] as const;
type SecretName = (typeof SECRETS)[number];
/** The secrets as they are stored, with the previous HMAC secret and the time until which that one signs too. */
export type Secrets = Partial<Record<SecretName | 'hmac_secret_previous' | 'hmac_secret_previous_until', string>>;
export type WebhookBody = Input<typeof webhooks.changeWebhook>['body'];

/** Returns the masked secrets, null for a secret that is not set. */
export function maskAll(secrets: Secrets): Record<SecretName, string | null> {
  const masked = SECRETS.map((name) => [name, secrets[name] === undefined ? null : mask(secrets[name])] as const);
  return Object.fromEntries(masked) as Record<SecretName, string | null>;
}

/** Returns the secrets after a write: a secret that is left out, or comes back as its mask, keeps its stored value. @spec D1-2.9 */
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

/**
 * Returns the stored secrets that are kept for a new address. Secrets that are sent in clear were given for the host of the old address: a
 * caller that may change the address must not obtain them in this way. The HMAC secret is kept, because it is never sent. @gap D1-2.9
 */
export function secretsFor(address: { from: string; to: string }, stored: Secrets, { auth_type, ...given }: WebhookBody): Secrets {
  if (new URL(address.from).origin === new URL(address.to).origin) return stored;
  const missing = AUTH_SECRETS[auth_type].filter((name) => given[name] === undefined || Masked.safeParse(given[name]).success);
  if (missing.length > 0) throw new Refusal('services.webhook_credentials_required').because(`${missing.join(', ')}: ${GIVE_AGAIN}`);
  return Object.fromEntries(Object.entries(stored).filter(([name]) => name.startsWith('hmac_secret')));
}

const GIVE_AGAIN = 'must be given again, as the address has another scheme, host or port than the one it was given for';

/** Keeps the HMAC secret that a change replaces, so that receivers have time to learn the new one. @gap D1-6.4 */
export function withPrevious(before: Secrets, after: Secrets, now: Date): Secrets {
  if (before.hmac_secret === undefined || before.hmac_secret === after.hmac_secret) return after;
  const until = new Date(now.getTime() + HMAC_ROTATION_HOURS * 60 * 60 * 1000);
  return { ...after, hmac_secret_previous: before.hmac_secret, hmac_secret_previous_until: until.toISOString() };
}

/** The HMAC secret before the current one, while it still signs. */
export function previousSecret({ hmac_secret_previous, hmac_secret_previous_until }: Secrets, now: Date): string | undefined {
  const isOver = hmac_secret_previous_until === undefined || now.getTime() >= Date.parse(hmac_secret_previous_until);
  return isOver ? undefined : hmac_secret_previous;
}

interface CompleteSecrets {
  secrets: Secrets;
  /** A generated HMAC secret, which is shown only this once. */
  hmac_secret_once?: string;
}

type Authentication = Pick<WebhookBody, 'auth_type' | 'standard_webhooks'>;

/** Checks that no secret is missing. An HMAC secret that was not given is generated. @spec D1-2.9 @gap D1-2.9 */
export function completeSecrets({ auth_type, standard_webhooks }: Authentication, secrets: Secrets): CompleteSecrets {
  if (standard_webhooks) checkStandard(secrets);
  const missing = AUTH_SECRETS[auth_type].filter((name) => secrets[name] === undefined);
  if (missing.length > 0) throw authInvalid(`${missing.join(', ')}: is missing; auth_type ${auth_type} needs it`);
  if (auth_type !== 'hmac' || secrets.hmac_secret !== undefined) return { secrets };
  const hmac_secret = standard_webhooks ? standardSecret() : randomToken();
  return { secrets: { ...secrets, hmac_secret }, hmac_secret_once: hmac_secret };
}

/** Returns a new secret in the form of Standard Webhooks. @gap D1-6.4 */
const standardSecret = () => `whsec_${Buffer.from(randomBytes(STANDARD_SECRET_BYTES.generated)).toString('base64')}`;

const STANDARD_HEADER_NAMES: readonly string[] = Object.values(STANDARD_HEADERS);

/** Checks what Standard Webhooks adds: a secret that looks like one of its own must be one, and its headers must be free. @gap D1-6.4 */
function checkStandard({ hmac_secret, auth_header_name = '' }: Secrets): void {
  if (hmac_secret?.startsWith('whsec_') && !standardSecretBytes(hmac_secret)) {
    const { least, most } = STANDARD_SECRET_BYTES;
    throw authInvalid(`hmac_secret: must be whsec_ and ${least} to ${most} bytes in base64, or a secret that does not begin with whsec_`);
  }
  if (STANDARD_HEADER_NAMES.includes(auth_header_name.toLowerCase()))
    throw authInvalid('auth_header_name: names a header that standard_webhooks adds: choose another');
}

const authInvalid = (reason: string) => new Refusal('services.webhook_auth_invalid').because(reason);
