import { SIGNATURE_HEADER, TIMED_SIGNATURES_HEADER, type WebhookAuth } from '@codase/contracts';
import { signWebhook, signWebhookAt } from '@codase/crypto';
import { previousSecret, type Secrets } from '../secrets.ts';

type Headers = Record<string, string>;

/** How a delivery authenticates, by type. The signature is over exactly the bytes that are sent. @spec D1-6.4 */
const WAYS: Record<WebhookAuth, (secrets: Secrets, body: Uint8Array, now: Date) => Headers | Promise<Headers>> = {
  hmac: signatures,
  bearer: ({ auth_token = '' }) => ({ Authorization: `Bearer ${auth_token}` }),
  basic: ({ auth_username = '', auth_password = '' }) => ({ Authorization: `Basic ${base64(`${auth_username}:${auth_password}`)}` }),
  header: ({ auth_header_name = '', auth_header_value = '' }) => ({ [auth_header_name]: auth_header_value }),
  none: () => ({}),
};

export const authHeaders = async (auth_type: WebhookAuth, secrets: Secrets, body: Uint8Array, now: Date): Promise<Headers> =>
  WAYS[auth_type](secrets, body, now);

/** Returns the signature of the specification, and signatures with a time, by the previous secret too while it counts. @gap D1-6.4 */
async function signatures(secrets: Secrets, body: Uint8Array, now: Date): Promise<Headers> {
  const { hmac_secret = '' } = secrets;
  const previous = previousSecret(secrets, now);
  const timed = await signWebhookAt(previous === undefined ? [hmac_secret] : [hmac_secret, previous], body, now);
  return { [SIGNATURE_HEADER]: await signWebhook(hmac_secret, body), [TIMED_SIGNATURES_HEADER]: timed };
}

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64');
