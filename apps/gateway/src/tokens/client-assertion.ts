import { constants, randomUUID, sign, type KeyObject } from 'node:crypto';
import type { ClientKeyAlgorithm } from '@codase/contracts';
import type { SigningKey } from './signing-key.ts';

/** How long an assertion counts: long enough for a request, and for clocks that differ. */
const SECONDS = 60;

type Sign = (key: KeyObject, content: Buffer) => Buffer;
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const SIGNERS: Record<ClientKeyAlgorithm, Sign> = {
  ES256: (key, content) => sign('sha256', content, { key, dsaEncoding: 'ieee-p1363' }),
  EdDSA: (key, content) => sign(null, content, key),
  Ed25519: (key, content) => sign(null, content, key),
  RS256: (key, content) => sign('sha256', content, key),
  PS256: (key, content) => sign('sha256', content, { key, ...PSS }),
};

/** Returns the parameters by which a client signs in with its key (RFC 7523). They count once: each attempt needs its own. @gap D1-5.2 */
export function assertionFor(client_id: string, { privateKey, alg }: SigningKey, audience: string, now: Date) {
  const iat = Math.floor(now.getTime() / 1000);
  const claims = { iss: client_id, sub: client_id, aud: audience, iat, exp: iat + SECONDS, jti: randomUUID() };
  const content = [{ alg, typ: 'JWT' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = SIGNERS[alg](privateKey, Buffer.from(content)).toString('base64url');
  return {
    client_id,
    client_assertion: `${content}.${signature}`,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  };
}
