import { SIGNATURE_HEADER, type WebhookAuth } from '@cds/contracts';
import { signWebhook } from '@cds/crypto';
import type { Secrets } from '../secrets.ts';

type Headers = Record<string, string>;

/** How a delivery authenticates. The signature is over the very bytes that are sent. @spec D1-6.4 */
const WAYS: Record<WebhookAuth, (secrets: Secrets, body: Uint8Array) => Headers | Promise<Headers>> = {
  hmac: async ({ hmac_secret = '' }, body) => ({ [SIGNATURE_HEADER]: await signWebhook(hmac_secret, body) }),
  bearer: ({ auth_token = '' }) => ({ Authorization: `Bearer ${auth_token}` }),
  basic: ({ auth_username = '', auth_password = '' }) => ({ Authorization: `Basic ${base64(`${auth_username}:${auth_password}`)}` }),
  header: ({ auth_header_name = '', auth_header_value = '' }) => ({ [auth_header_name]: auth_header_value }),
  none: () => ({}),
};

export const authHeaders = async (auth_type: WebhookAuth, secrets: Secrets, body: Uint8Array): Promise<Headers> =>
  WAYS[auth_type](secrets, body);

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
