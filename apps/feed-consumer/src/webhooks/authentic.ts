import { SIGNATURE_HEADER, TEST_HEADER, WEBHOOK_ID_HEADER } from '@cds/contracts';
import { basicAuthorization, bearerAuthorization, equalSecrets, isWebhookSignature } from '@cds/crypto';
import type { WebhookChannel } from '../config.ts';

/** The headers of a delivery, by their names in lower case. */
export type DeliveryHeaders = Readonly<Record<string, string | string[] | undefined>>;

const headerOf = (headers: DeliveryHeaders, name: string): string | undefined => {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
};

/** Whether it is a test delivery, which carries no real event. @gap D1-4.7 */
export const isTest = (headers: DeliveryHeaders): boolean => headerOf(headers, TEST_HEADER) === 'true';

/** Whether a delivery comes from the channel's webhook; every secret is compared in constant time. @spec D1-6.4 */
export async function isAuthentic({ webhook_id, auth }: WebhookChannel, headers: DeliveryHeaders, body: Uint8Array): Promise<boolean> {
  if (headerOf(headers, WEBHOOK_ID_HEADER) !== webhook_id) return false;
  switch (auth.auth_type) {
    case 'hmac':
      return isWebhookSignature(auth.hmac_secret, body, headerOf(headers, SIGNATURE_HEADER));
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
