import { z } from 'zod';
import { expects, fails } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Id, Timestamp } from '../core/text.ts';
import { EventName } from '../feed/event-names.ts';

const badUrl = fails('services.webhook_url_invalid');

/** A URL parser repairs missing slashes and blanks. Refused here, so that the stored address is the one called. @spec D1-2.9 */
const WEB_ADDRESS = /^https?:\/\/[^\s/?#\\][^\s\\]*$/i;

/** Whether this is a web address without credentials: those have members of their own, which are masked. @gap D1-2.9 */
function isWebAddress(address: string): boolean {
  if (!WEB_ADDRESS.test(address) || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username + password === '';
}

/** Headers that a delivery has anyway, or that describe how it is sent: a secret in one of them would not arrive. @gap D1-2.9 */
const TAKEN_HEADERS =
  /^(connection|content-.*|expect|host|keep-alive|proxy-connection|te|trailer|traceparent|tracestate|transfer-encoding|upgrade|user-agent|x-platform-.*)$/i;

/** A value that every header line can carry (visible ASCII and blanks), or the mask of such a secret. @gap D1-2.9 */
const HEADER_VALUE = /^(•{4}[\x20-\x7e]{0,4}|[\x20-\x7e]+)$/u;
const Secret = z.string().min(1).max(4096).regex(HEADER_VALUE, expects('must be of visible ASCII characters and blanks'));
const HeaderName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, expects('must be the name of a header: letters, digits and hyphens'));
/** A user name. A colon would end it early. @gap D1-2.9 */
const UserName = Secret.refine((name) => !name.includes(':'), fails('services.webhook_auth_invalid', 'must hold no colon'));

/** The mask of a secret: four bullets and its last four characters, when that gives nothing away. @spec D1-2.9 @gap D1-2.9 */
export const Masked = z.string().regex(/^•{4}.{0,4}$/u);

/** How a delivery authenticates. @spec D1-6.4 */
export const WebhookAuth = z.enum(['hmac', 'bearer', 'basic', 'header', 'none']);
export type WebhookAuth = z.infer<typeof WebhookAuth>;

/** The secrets that each auth_type needs. HMAC needs none: a secret that is left out is generated. @spec D1-2.9 @spec D1-6.4 */
export const AUTH_SECRETS = {
  hmac: [],
  bearer: ['auth_token'],
  basic: ['auth_username', 'auth_password'],
  header: ['auth_header_name', 'auth_header_value'],
  none: [],
} as const satisfies Record<WebhookAuth, readonly string[]>;

const config = {
  url: z.string(badUrl).max(2048, badUrl).refine(isWebAddress, badUrl),
  /** An empty list means all events. */
  events: z.array(EventName).max(EventName.options.length).default([]),
  format: z.enum(['json', 'xml']).default('json'),
  auth_type: WebhookAuth.default('hmac'),
  encrypt_payload: z.boolean().default(false),
  /** Whether deliveries also carry the headers of Standard Webhooks. @gap D1-6.4 */
  standard_webhooks: z.boolean().default(false),
  enabled: z.boolean().default(true),
  hmac_secret: Secret.optional(),
  auth_token: Secret.optional(),
  auth_username: UserName.optional(),
  auth_password: Secret.optional(),
  auth_header_name: z
    .union([HeaderName, Masked], expects('must be the name of a header of 1 to 128 characters: letters, digits and hyphens'))
    .refine(
      (name) => !TAKEN_HEADERS.test(name),
      fails('services.webhook_auth_invalid', 'names a header that every delivery has already: choose another'),
    )
    .optional(),
  auth_header_value: Secret.optional(),
};

/** A webhook as it is changed: a secret that is left out, or sent back as its mask, stays as it is. @spec D1-2.9 */
export const WebhookChange = z.strictObject(config);

/** A new webhook. It needs the secrets of its auth_type. @spec D1-2.9 @gap D1-2.9 */
export const NewWebhook = WebhookChange.superRefine((webhook, { addIssue }) => {
  for (const name of AUTH_SECRETS[webhook.auth_type].filter((secret) => webhook[secret] === undefined)) {
    const message = fails('services.webhook_auth_invalid', `is missing; auth_type ${webhook.auth_type} needs it`).error;
    addIssue({ code: 'custom', path: [name], message });
  }
});

/** The state of the webhook's endpoint, and its backlog. @spec D1-3.2 @gap D1-3.2 */
export const WebhookHealth = z.object({
  state: z.enum(['running', 'bad', 'unknown']),
  since: Timestamp,
  next_probe_at: Timestamp.nullable(),
  /** The number of events in the backlog, counted up to COUNTED_BACKLOG. */
  backlog: z.int(),
  oldest_at: Timestamp.nullable(),
});

/** A webhook as it is read, without its secrets. @spec D1-2.9 */
export const Webhook = named(
  'Webhook',
  z.object({
    id: Id,
    url: z.string(),
    events: z.array(EventName),
    format: z.enum(['json', 'xml']),
    auth_type: WebhookAuth,
    encrypt_payload: z.boolean(),
    /** A platform without this addition leaves it out. */
    standard_webhooks: z.boolean().default(false),
    enabled: z.boolean(),
    hmac_secret: Masked.nullable(),
    auth_token: Masked.nullable(),
    auth_username: Masked.nullable(),
    auth_password: Masked.nullable(),
    auth_header_name: Masked.nullable(),
    auth_header_value: Masked.nullable(),
    health: WebhookHealth,
    created_at: Timestamp,
  }),
);
export type Webhook = z.infer<typeof Webhook>;

/** The answer to a write, with the HMAC secret when it was generated just now. @spec D1-2.9 */
export const WrittenWebhook = Webhook.extend({ hmac_secret_once: z.string().optional() });

/** The result of a test delivery. @gap D1-4.7 */
export const WebhookTest = z.object({ delivered: z.boolean(), status: z.int().nullable(), reason: z.string().nullable() });

/** The header that names the webhook of a delivery, and the header of its signature. @spec D1-6.4 */
export const WEBHOOK_ID_HEADER = 'X-Platform-Webhook-Id';
export const SIGNATURE_HEADER = 'X-Platform-Signature';
/** Header beyond the specification: signatures with their time, two while a secret is being replaced. @gap D1-6.4 */
export const TIMED_SIGNATURES_HEADER = 'X-Platform-Signatures';
/** Header that marks a made-up event: it must be answered, and not acted on. @gap D1-4.7 */
export const TEST_HEADER = 'X-Platform-Test';

/** The headers of Standard Webhooks, which a webhook may have beside its own. @gap D1-6.4 */
export const STANDARD_HEADERS = { id: 'webhook-id', timestamp: 'webhook-timestamp', signature: 'webhook-signature' } as const;

/** A public key that verifies `v1a` signatures, as a JSON Web Key and in the form of Standard Webhooks. @gap D1-6.4 */
const WebhookKey = named(
  'WebhookKey',
  z.object({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    alg: z.literal('EdDSA'),
    use: z.literal('sig'),
    kid: z.string(),
    x: z.string(),
    whpk: z.string().describe('The same key as `whpk_` and its 32 bytes in base64'),
    region: z.string().describe('The region whose deliveries it signs'),
  }),
);
export const WebhookKeySet = z.object({ keys: z.array(WebhookKey) });
