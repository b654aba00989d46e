import { verify, type KeyObject } from 'node:crypto';
import { ACCESS_TOKEN_SECONDS } from '@cds/contracts';
import { z } from 'zod';
import type { SigningThread } from './signing-thread.service.ts';

/** Constant, so that a client that moved gets 421 at its old base, not 401. @gap D1-5.6 */
const AUDIENCE = 'company-data-service';
const LONGEST_TOKEN = 4096;

/** The public half of a key that signs tokens. */
export interface VerificationKey {
  kid: string;
  publicKey: KeyObject;
  /** As /oauth2/jwks names it. */
  jwk: { kty: 'EC'; crv: 'P-256'; alg: 'ES256'; use: 'sig'; kid: string; x: string; y: string };
}

export interface SigningKey extends VerificationKey {
  /** The header of every token it signs, encoded. */
  head: string;
  signing: SigningThread;
}

/** The base whose key signed a token: `front-door`, or the name of a region. Its tokens hold for those who are at home there. */
export type SigningBase = string;
export const FRONT_DOOR_BASE: SigningBase = 'front-door';

/** The keys whose tokens are believed. */
export interface KnownKeys {
  find(kid: string): { base: SigningBase; key: VerificationKey } | undefined;
  /** Grows whenever the keys change: what was verified before is verified again. */
  readonly generation: number;
}

/** One key alone, as that of the front door. */
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
  iat: z.int(),
  exp: z.int(),
  jti: z.string(),
});
/** What a token says, and who signed it. */
export interface Claims extends z.infer<typeof Claims> {
  signed_by: SigningBase;
}

/** An access token: a JWT signed with ES256. @spec D1-2.2 @spec D1-5.4 */
export function signToken(
  key: SigningKey,
  now: Date,
  claims: Pick<Claims, 'iss' | 'sub' | 'client_id' | 'gen' | 'sid' | 'jti'>,
): Promise<string> {
  const iat = Math.floor(now.getTime() / 1000);
  return signJwt(key, key.head, { ...claims, aud: AUDIENCE, iat, exp: iat + ACCESS_TOKEN_SECONDS });
}

/** A JWT that is no access token: its type says what it is, and its audience is another. */
export const signOther = (key: SigningKey, typ: string, claims: { aud: string }): Promise<string> =>
  signJwt(key, encode({ alg: 'ES256', typ, kid: key.kid }), claims);

function signJwt({ signing }: SigningKey, head: string, claims: object): Promise<string> {
  const signed = `${head}.${encode(claims)}`;
  return signing.sign(signed).then((signature) => `${signed}.${signature}`);
}

/** The claims of a token that a base of ours signed and that is not expired; undefined for anything else, whatever is wrong with it. */
export function verifyToken(keys: KnownKeys, now: Date, token: string): Claims | undefined {
  const signed = verifySignature(keys, token);
  const claims = Claims.safeParse(signed?.claims);
  return claims.success && claims.data.exp * 1000 > now.getTime() ? { ...claims.data, signed_by: signed!.signed_by } : undefined;
}

/** What a JWT says that a base of ours signed, whatever it is for; undefined for anything else. */
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

/** Only our one algorithm and our keys are ever believed; of these the header chooses one. */
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
