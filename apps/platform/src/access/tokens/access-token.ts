import { verify, type KeyObject } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS } from '@codase/contracts';
import { z } from 'zod';
import type { SigningThread } from './signing-thread.service.ts';

/** The audience is the same at every base, so that a client that moved gets 421 at its old base, not 401. @gap D1-5.6 */
const AUDIENCE = 'company-data-service';
const LONGEST_TOKEN = 4096;

/** The public half of a key that signs tokens. */
export interface VerificationKey {
  kid: string;
  publicKey: KeyObject;
  /** The key as /oauth2/jwks publishes it. */
  jwk: { kty: 'EC'; crv: 'P-256'; alg: 'ES256'; use: 'sig'; kid: string; x: string; y: string };
}

export interface SigningKey extends VerificationKey {
  /** The encoded header of every token that this key signs. */
  head: string;
  signing: SigningThread;
}

/** The base whose key signed a token: `front-door`, or a region, whose tokens are valid only for users and clients at home there. */
export type SigningBase = string;
export const FRONT_DOOR_BASE: SigningBase = 'front-door';

/** The keys whose tokens are accepted. */
export interface KnownKeys {
  find(kid: string): { base: SigningBase; key: VerificationKey } | undefined;
  /** A number that grows whenever the keys change: tokens that were verified before are then verified again. */
  readonly generation: number;
}

/** Returns known keys with this key alone, as the key of the front door. */
export const onlyKey = (key: VerificationKey): KnownKeys => ({
  find: (kid) => (kid === key.kid ? { base: FRONT_DOOR_BASE, key } : undefined),
  generation: 0,
});

const Claims = z.object({
  iss: z.string(),
  aud: z.literal(AUDIENCE),
  sub: z.string(),
  client_id: z.string(),
  gen: z.int(),
  sid: z.string().optional(),
  /** The thumbprint of the key that a token is bound to (RFC 9449, 6). Such a token is worth nothing without a proof by that key. */
  cnf: z.object({ jkt: z.string() }).optional(),
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
});
/** The claims of a token, and the base that signed it. */
export interface Claims extends z.infer<typeof Claims> {
  signed_by: SigningBase;
}

/** The word that begins the id of a person for a company, which tokens of sign-in apps have as their subject: `sub_…`. @gap D1-4.6 */
export const PAIRWISE = 'sub';

/** Returns the account that a token is about, as far as the token says it: that of a sign-in app names none. */
export const accountOf = ({ sub }: Pick<Claims, 'sub'>): string | null => (sub.startsWith(`${PAIRWISE}_`) ? null : sub);

/** Signs an access token: a JWT with ES256. @spec D1-2.2 @spec D1-5.4 */
export function signToken(
  key: SigningKey,
  now: Date,
  claims: Pick<Claims, 'iss' | 'sub' | 'client_id' | 'gen' | 'sid' | 'cnf' | 'jti'>,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  return signJwt(key, key.head, { ...claims, aud: AUDIENCE, iat, exp: iat + ACCESS_TOKEN_SECONDS });
}

/** Claims of a JWT that is not an access token: the audience is what tells it apart. */
interface OtherClaims {
  aud: string;
  [claim: string]: unknown;
}

/** Signs a JWT that is not an access token: it has another type and another audience. */
export const signOther = (key: SigningKey, typ: string, claims: OtherClaims): Promise<string> =>
  signJwt(key, encode({ alg: 'ES256', typ, kid: key.kid }), claims);

function signJwt({ signing }: SigningKey, head: string, claims: object): Promise<string> {
  const signed = `${head}.${encode(claims)}`;
  return signing.sign(signed).then((signature) => `${signed}.${signature}`);
}

/** Returns the claims of a token that a base of the platform signed and that has not expired, or undefined for any other token. */
export function verifyToken(keys: KnownKeys, now: Date, token: string): Claims | undefined {
  const signed = verifySignature(keys, token);
  const claims = Claims.safeParse(signed?.claims);
  return claims.success && claims.data.exp * 1000 > now.getTime() ? { ...claims.data, signed_by: signed!.signed_by } : undefined;
}

/** Returns the claims of a JWT that a base of the platform signed, whatever its purpose, or undefined for any other JWT. */
export function verifySignature(keys: KnownKeys, token: string): { claims: unknown; signed_by: SigningBase } | undefined {
  const parts = token.length <= LONGEST_TOKEN ? token.split('.') : [];
  const [head, body, signature] = parts;
  const signer = parts.length === 3 ? signerOf(head!, keys) : undefined;
  if (!signer) return undefined;
  const signed = Buffer.from(`${head}.${body}`);
  const key = { key: signer.key.publicKey, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', signed, key, Buffer.from(signature!, 'base64url'))) return undefined;
  return { claims: decode(body!), signed_by: signer.base };
}

/** Returns the key that the header names. Only the algorithm ES256 and known keys are accepted. */
function signerOf(head: string, keys: KnownKeys): ReturnType<KnownKeys['find']> {
  const header = decode(head) as { alg?: unknown; kid?: unknown } | undefined;
  return header?.alg === 'ES256' && typeof header.kid === 'string' ? keys.find(header.kid) : undefined;
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
