import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { WEBHOOK_KEYS_PER_REGION } from '@codase/contracts';
import { z } from 'zod';
import { pemBlocks } from './pem-blocks.ts';

/** A public key as operators list it. */
interface WebhookKeyJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  x: string;
}

/** A private key that signs deliveries. Its id reveals nothing about it. */
export interface WebhookSigningKey {
  id: string;
  privateKey: KeyObject;
  jwk: WebhookKeyJwk;
  pem: string;
}

/** Returns the id of a public key: its thumbprint (RFC 7638). */
export const webhookKeyId = ({ x }: Pick<WebhookKeyJwk, 'x'>): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x }))
    .digest('base64url');

/** Reads a list of private keys in PEM; undefined when the text has something other than one to a few Ed25519 keys. */
export function readWebhookSigningKeys(text: string): WebhookSigningKey[] | undefined {
  const blocks = pemBlocks(text);
  if (blocks.length === 0 || blocks.length > WEBHOOK_KEYS_PER_REGION) return undefined;
  const keys = blocks.map(readKey);
  return keys.every((key) => key !== undefined) ? keys : undefined;
}

function readKey(pem: string): WebhookSigningKey | undefined {
  try {
    const privateKey = createPrivateKey(pem);
    if (privateKey.asymmetricKeyType !== 'ed25519') return undefined;
    const jwk: WebhookKeyJwk = { kty: 'OKP', crv: 'Ed25519', x: createPublicKey(privateKey).export({ format: 'jwk' }).x! };
    return { id: webhookKeyId(jwk), privateKey, jwk, pem };
  } catch {
    return undefined; // the cause might quote the key
  }
}

const EXPECTED = `1 to ${WEBHOOK_KEYS_PER_REGION} Ed25519 private keys in PEM`;

/** The keys of a region in a variable. */
export const WebhookSigningKeysVariable = z.string(EXPECTED).transform((text, context): readonly WebhookSigningKey[] => {
  const keys = readWebhookSigningKeys(text);
  if (keys) return keys;
  context.addIssue({ code: 'custom', message: EXPECTED });
  return z.NEVER;
});
