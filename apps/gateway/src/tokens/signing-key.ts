import { createPrivateKey, type KeyObject } from 'node:crypto';
import { CLIENT_KEY_BITS, type ClientKeyAlgorithm } from '@codase/contracts';
import { z } from 'zod';

/** A private key of a client, with the algorithm by which it signs. */
export interface SigningKey {
  privateKey: KeyObject;
  alg: ClientKeyAlgorithm;
}

const EXPECTED = 'an EC P-256, Ed25519 or RSA key in PEM, RSA from 2048 bits';

/** A private key in PEM. The message of a fault leaves out its cause, which might quote the key. */
export const SigningKeyVariable = z.string().transform((text, context): SigningKey => {
  const key = readKey(text);
  if (key) return key;
  context.addIssue({ code: 'custom', message: EXPECTED });
  return z.NEVER;
});

function readKey(pem: string): SigningKey | undefined {
  try {
    const privateKey = createPrivateKey(pem);
    const alg = algorithmOf(privateKey);
    return alg && { privateKey, alg };
  } catch {
    return undefined;
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): ClientKeyAlgorithm | undefined {
  if (asymmetricKeyType === 'ed25519') return 'EdDSA';
  if (asymmetricKeyType === 'ec') return asymmetricKeyDetails?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
  return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= CLIENT_KEY_BITS.least ? 'PS256' : undefined;
}
