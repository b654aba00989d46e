import { createHmac, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { STANDARD_HEADERS } from '@codase/contracts';
import { standardSecretBytes } from '@codase/crypto';
import { previousSecret, type Secrets } from '../secrets.ts';

/** What is signed, and with which keys. */
interface StandardSigned {
  webhook_id: string;
  /** The id of the event in its queue: it stays the same when the delivery is repeated. */
  event_id: string;
  body: Uint8Array;
  secrets: Secrets;
  keys: readonly { privateKey: KeyObject }[];
}

const signInThread = promisify(sign);

/**
 * Returns the headers of Standard Webhooks. `webhook-id` begins with the webhook: the keys of a region sign for all its companies, so
 * without it a company could send what was signed for its own endpoint to the endpoint of another one. All keys sign, also the secret that
 * was replaced, so that receivers have time to learn the new one. @gap D1-6.4
 */
export async function standardHeaders(signed: StandardSigned, now: Date): Promise<Record<string, string>> {
  if (signed.keys.length === 0) throw new Error('There is no key that signs the deliveries of this region');
  const id = `${signed.webhook_id}:${signed.event_id}`;
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), signed.body]);
  const secrets = [signed.secrets.hmac_secret, previousSecret(signed.secrets, now)];
  const macs = secrets.flatMap((secret) => macOf(secret, content) ?? []);
  const signatures = await Promise.all(signed.keys.map(({ privateKey }) => signInThread(null, content, privateKey)));
  return {
    [STANDARD_HEADERS.id]: id,
    [STANDARD_HEADERS.timestamp]: timestamp,
    [STANDARD_HEADERS.signature]: [...macs, ...signatures.map((one) => `v1a,${one.toString('base64')}`)].join(' '),
  };
}

/** Returns the symmetric signature; undefined when the secret is not one of Standard Webhooks. */
function macOf(secret: string | undefined, content: Buffer): string | undefined {
  const key = secret === undefined ? undefined : standardSecretBytes(secret);
  return key && `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
}
