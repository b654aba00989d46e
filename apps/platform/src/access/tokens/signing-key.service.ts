import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import type { SigningKey, VerificationKey } from './access-token.ts';
import { SigningThread } from './signing-thread.service.ts';

/** Reads the key that signs access tokens and gives it a thread of its own. */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const key = verificationKey(createPublicKey(privateKey));
  const head = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid: key.kid })).toString('base64url');
  return { ...key, head, signing: new SigningThread(privateKey) };
}

/** Builds the public half of a signing key. Its id is the thumbprint of RFC 7638. */
export function verificationKey(publicKey: KeyObject): VerificationKey {
  const { crv, x, y } = publicKey.export({ format: 'jwk' });
  if (crv !== 'P-256') throw new Error('the token signing key must be an EC key on P-256');
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv, kty: 'EC', x, y }))
    .digest('base64url');
  return { kid, publicKey, jwk: { kty: 'EC', crv, alg: 'ES256', use: 'sig', kid, x: x!, y: y! } };
}
