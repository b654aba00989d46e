import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { SigningKey } from './access-token.ts';
import { SigningThread } from './signing-thread.service.ts';

/** The key that signs access tokens, with a thread of its own. */
export function readSigningKey(pem: string): SigningKey {
  const privateKey = createPrivateKey(pem);
  const publicKey = createPublicKey(privateKey);
  const { crv, x, y } = publicKey.export({ format: 'jwk' });
  if (crv !== 'P-256') throw new Error('the token signing key must be an EC key on P-256');
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv, kty: 'EC', x, y }))
    .digest('base64url');
  const head = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'at+jwt', kid })).toString('base64url');
  return {
    kid,
    head,
    signing: new SigningThread(privateKey),
    publicKey,
    jwk: { kty: 'EC', crv, alg: 'ES256', use: 'sig', kid, x: x!, y: y! },
  };
}
