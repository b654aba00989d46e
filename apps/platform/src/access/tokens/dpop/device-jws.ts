import { createHash, createPublicKey, verify } from 'node:crypto';
import { DeviceKey, jsonIn } from '@codase/contracts';
import { z } from 'zod';

/** A header and a body of some hundred characters, and a signature of 86. */
const LONGEST_JWS = 2048;

/** A key that brings its private part is refused (RFC 9449, 4.3). Further members are ignored. */
const PublicJwk = z.looseObject({ d: z.never().optional() }).pipe(DeviceKey);

/** What a device signed, and the thumbprint of the key that it names in the header (RFC 7638). */
export interface DeviceJws<T> {
  claims: T;
  key: DeviceKey;
  jkt: string;
}

/** The thumbprint of a key: SHA-256 of its required members, in the order of their names (RFC 7638). */
const thumbprintOf = ({ kty, crv, x, y }: DeviceKey): string =>
  createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');

/**
 * Reads a JWS with ES256 that carries the public key of its signer, as DPoP proofs do. Returns undefined unless it has that type, these
 * claims, and the signature of that key. It does not say whose key that is.
 */
export function readDeviceJws<T>(jws: string, typ: string, Claims: z.ZodType<T>): DeviceJws<T> | undefined {
  if (jws.length > LONGEST_JWS) return undefined;
  const parts = jws.split('.');
  if (parts.length !== 3) return undefined;
  const [head, body, signature] = parts as [string, string, string];
  const header = z.object({ typ: z.literal(typ), alg: z.literal('ES256'), jwk: PublicJwk }).safeParse(jsonOf(head));
  const claims = Claims.safeParse(jsonOf(body));
  if (!header.success || !claims.success) return undefined;
  const { jwk } = header.data;
  if (!isSigned(`${head}.${body}`, signature, jwk)) return undefined;
  return { claims: claims.data, key: jwk, jkt: thumbprintOf(jwk) };
}

function isSigned(signed: string, signature: string, jwk: DeviceKey): boolean {
  try {
    const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' } as const;
    return verify('sha256', Buffer.from(signed), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false; // the coordinates are no point of the curve
  }
}

const jsonOf = (part: string): unknown => jsonIn(Buffer.from(part, 'base64url').toString('utf8'));
