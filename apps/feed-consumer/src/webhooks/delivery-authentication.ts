import { SIGNATURE_HEADER, TEST_HEADER, TIMED_SIGNATURES_HEADER, WEBHOOK_ID_HEADER } from '@codase/contracts';
import { basicAuthorization, bearerAuthorization, equalSecrets, isWebhookSignature, webhookSignedAt } from '@codase/crypto';
import type { WebhookChannel } from '../config.ts';

/** The headers of a delivery, by their names in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

const headerOf = (headers: DeliveryHeaders, name: string): string | undefined => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
};

/** Whether the delivery is a test, which carries no real event. @gap D1-4.7 */
export const isTest = (headers: DeliveryHeaders): boolean => headerOf(headers, TEST_HEADER) === 'true';

interface Received {
  headers: DeliveryHeaders;
  body: Uint8Array;
  now: Date;
}

/**
 * Whether a delivery comes from the channel's webhook, as far as the headers alone show it. Every secret is compared in constant time. A
 * signature covers the body, so `isSigned` checks it together with the body. @spec D1-6.4
 */
export async function hasAuthenticHeaders({ webhook_id, auth }: WebhookChannel, headers: DeliveryHeaders): Promise<boolean> {
  if (headerOf(headers, WEBHOOK_ID_HEADER) !== webhook_id) return false;
  switch (auth.auth_type) {
    case 'hmac':
      return [SIGNATURE_HEADER, TIMED_SIGNATURES_HEADER].some((name) => headerOf(headers, name) !== undefined);
    case 'bearer':
      return equalSecrets(headerOf(headers, 'authorization'), bearerAuthorization(auth.auth_token));
    case 'basic':
      return equalSecrets(headerOf(headers, 'authorization'), basicAuthorization(auth.auth_username, auth.auth_password));
    case 'header':
      return equalSecrets(headerOf(headers, auth.auth_header_name), auth.auth_header_value);
    case 'none':
      return true;
  }
}

/**
 * Whether the body of a delivery has a valid signature, when the channel requires one: the signature of the specification, or one of those
 * with a time. While the secret is being replaced there are two with a time, and the second is made with the old secret, which this channel
 * may still have. When the channel limits the age of a delivery, only a signature with a time counts. @spec D1-6.4 @gap D1-6.4
 */
export async function isSigned({ auth }: WebhookChannel, { headers, body, now }: Received): Promise<boolean> {
  if (auth.auth_type !== 'hmac') return true;
  const { hmac_secret, max_age_seconds } = auth;
  const isPlain = max_age_seconds === undefined && (await isWebhookSignature(hmac_secret, body, headerOf(headers, SIGNATURE_HEADER)));
  if (isPlain) return true;
  const signedAt = await webhookSignedAt(hmac_secret, body, headerOf(headers, TIMED_SIGNATURES_HEADER));
  if (!signedAt) return false;
  return max_age_seconds === undefined || Math.abs(now.getTime() - signedAt.getTime()) <= max_age_seconds * 1000;
}
