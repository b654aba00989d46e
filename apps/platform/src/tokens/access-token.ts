import { verify, type KeyObject } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS } from '@cds/contracts';
import { z } from 'zod';
import type { SigningThread } from './signing-thread.service.ts';

/** Constant, so that a client that moved gets 421 at its old base, not 401. @gap D1-5.6 */
const AUDIENCE = 'company-data-service';
const LONGEST_TOKEN = 4096;

export const SIGNING_KEY = Symbol('SigningKey');

export interface SigningKey {
  kid: string;
  /** The header of every token it signs, encoded. */
  head: string;
  signing: SigningThread;
  publicKey: KeyObject;
  /** The public half as a JWK, for /oauth2/jwks. */
  jwk: { kty: 'EC'; crv: 'P-256'; alg: 'ES256'; use: 'sig'; kid: string; x: string; y: string };
}

const Claims = z.object({
  iss: z.string(),
  aud: z.literal(AUDIENCE),
  sub: z.string(),
  client_id: z.string(),
  gen: z.int(),
  sid: z.string().optional(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
});
export type Claims = z.infer<typeof Claims>;

/** An access token: a JWT signed with ES256. @spec D1-2.2 @spec D1-5.4 */
export async function signToken(
  key: SigningKey,
  now: Date,
  claims: Pick<Claims, 'iss' | 'sub' | 'client_id' | 'gen' | 'sid' | 'jti'>,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  const signed = `${key.head}.${encode({ ...claims, aud: AUDIENCE, iat, exp: iat + ACCESS_TOKEN_SECONDS })}`;
  return `${signed}.${await key.signing.sign(signed)}`;
}

/** The claims of a token that is ours and not expired; undefined for anything else, whatever is wrong with it. */
export function verifyToken(key: SigningKey, now: Date, token: string): Claims | undefined {
  const parts = token.length <= LONGEST_TOKEN ? token.split('.') : [];
  const [head, body, signature] = parts;
  if (parts.length !== 3 || !isOurs(head!, key)) return undefined;
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify('sha256', signed, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature!, 'base64url'))) return undefined;
  const claims = Claims.safeParse(decode(body!));
  return claims.success && claims.data.exp * 1000 > now.getTime() ? claims.data : undefined;
}

/** Only our one algorithm and key are ever believed; the header chooses nothing. */
const isOurs = (head: string, key: SigningKey) => {
  const header = decode(head) as { alg?: unknown; kid?: unknown } | undefined;
  return header?.alg === 'ES256' && header.kid === key.kid;
};

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
