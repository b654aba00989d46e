import { constants, createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { CLIENT_ASSERTION, CLIENT_KEY_ALGORITHMS, CLIENT_KEY_BITS, type ClientKey, type ClientKeyAlgorithm } from '@codase/contracts';
import { z } from 'zod';

/** The type of a client assertion (RFC 7523). */
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

const Header = z.looseObject({
  alg: z.string(),
  kid: z.string().optional(),
  /** Members that must be understood: none is. */
  crit: z.never().optional(),
});
const NumericDate = z.number().min(0).max(1e11);
const Claims = z.looseObject({
  iss: z.string(),
  sub: z.string(),
  aud: z.union([z.string(), z.array(z.string()).length(1)]),
  exp: NumericDate,
  iat: NumericDate.optional(),
  nbf: NumericDate.optional(),
  jti: z.string().min(1).max(CLIENT_ASSERTION.jti_chars),
});

/** An assertion as it was sent. Nothing of it is verified. */
export interface SentAssertion {
  client_id: string;
  alg: string;
  kid: string | undefined;
  audience: string;
  exp: number;
  starts: readonly number[];
  jti: string;
  signed: Buffer;
  signature: Buffer;
}

/** What must be recorded of an assertion, so that it is not used again. */
export interface UsedAssertion {
  client_id: string;
  jti_hash: string;
  expires_at: Date;
}

/** Reads an assertion; undefined when it is none, or when it speaks for another client than it comes from. */
export function readAssertion(text: string): SentAssertion | undefined {
  const parts = text.split('.');
  const [head, body, signature] = parts.map((part) => (/^[\w-]+$/.test(part) ? Buffer.from(part, 'base64url') : undefined));
  if (parts.length !== 3 || !head || !body || !signature) return undefined;
  const [header, claims] = [Header.safeParse(jsonOf(head)), Claims.safeParse(jsonOf(body))];
  if (!header.success || !claims.success || claims.data.iss !== claims.data.sub) return undefined;
  const { sub, aud, exp, iat, nbf, jti } = claims.data;
  return {
    client_id: sub,
    alg: header.data.alg,
    kid: header.data.kid,
    audience: typeof aud === 'string' ? aud : aud[0]!,
    exp,
    starts: [iat, nbf].filter((time) => time !== undefined),
    jti,
    signed: Buffer.from(`${parts[0]}.${parts[1]}`),
    signature,
  };
}

/** Checks the audience and the times of an assertion. The clocks of client and platform may differ a little. */
export function isCurrent({ audience, exp, starts }: SentAssertion, audiences: readonly string[], now: Date): boolean {
  const seconds = now.getTime() / 1000;
  const { seconds: ahead, skew_seconds: skew } = CLIENT_ASSERTION;
  const isTimely = exp > seconds && exp <= seconds + ahead + skew && starts.every((start) => start <= seconds + skew);
  return isTimely && audiences.includes(audience);
}

/** Returns what must be recorded of an assertion, if one of the keys has signed it. */
export function verifiedAssertion(sent: SentAssertion, keys: readonly ClientKey[]): UsedAssertion | undefined {
  const fitting = keys.filter((key) => fits(key, sent));
  if (!fitting.some((key) => isSignedBy(key, sent))) return undefined;
  const jti_hash = createHash('sha256').update(sent.jti).digest('base64url');
  return { client_id: sent.client_id, jti_hash, expires_at: new Date(Math.ceil(sent.exp) * 1000) };
}

/** Whether a key may have signed: the algorithm is one for keys of its type, or the one that the key names, and the id is not another's. */
function fits(key: ClientKey, { alg, kid }: SentAssertion): boolean {
  const known: readonly string[] = CLIENT_KEY_ALGORITHMS[key.kty];
  return (
    known.includes(alg) && (key.alg === undefined || key.alg === alg) && (kid === undefined || key.kid === undefined || key.kid === kid)
  );
}

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

/** How each algorithm verifies. */
const VERIFIERS: Record<ClientKeyAlgorithm, (key: KeyObject, { signed, signature }: SentAssertion) => boolean> = {
  ES256: (key, { signed, signature }) => verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature),
  EdDSA: (key, { signed, signature }) => verify(null, signed, key, signature),
  Ed25519: (key, { signed, signature }) => verify(null, signed, key, signature),
  RS256: (key, { signed, signature }) => verify('sha256', signed, key, signature),
  PS256: (key, { signed, signature }) => verify('sha256', signed, { key, ...PSS }, signature),
};

function isSignedBy(key: ClientKey, sent: SentAssertion): boolean {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    return VERIFIERS[sent.alg as ClientKeyAlgorithm](publicKey, sent);
  } catch {
    return false; // a point that is not on the curve, for example
  }
}

/** Whether a key can verify: a point may lie beside its curve, and a modulus may begin with zeros, which no shape shows. */
export function isUsableKey(key: ClientKey): boolean {
  try {
    const { modulusLength = CLIENT_KEY_BITS.least } = createPublicKey({ key, format: 'jwk' }).asymmetricKeyDetails ?? {};
    return modulusLength >= CLIENT_KEY_BITS.least;
  } catch {
    return false;
  }
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
