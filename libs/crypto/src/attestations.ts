import { decodeBase64Url } from './base64.ts';
import { sha256Hex } from './digests.ts';
import { decodeUtf8, plaintextBytes } from './text.ts';

/** The `typ` of the JWS by which a verification provider attests a value. @gap D1-2.7 */
export const ATTESTATION_TYPE = 'codase-attestation+jwt';
/** The longest JWS of a provider: three parts with a few long texts. */
export const PROVIDER_JWS_CHARS = 4096;

/** A public key of a provider, as a JSON Web Key: P-256 or Ed25519. */
export interface ProviderKey {
  kid: string;
  kty: string;
  crv: string;
  x: string;
  y?: string | undefined;
  /** Until when the key signs, by the `iat` of what it signed; null while it signs. What it signed before stays verified. */
  until: string | null;
}

/** A JWS whose signature was verified. */
export interface SignedClaims {
  kid: string;
  claims: Readonly<Record<string, unknown>>;
}

/** The algorithms that fit a curve. EdDSA has a second name (RFC 9864). */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = { 'P-256': ['ES256'], Ed25519: ['EdDSA', 'Ed25519'] };
const IMPORTS = { 'P-256': { name: 'ECDSA', namedCurve: 'P-256' }, Ed25519: { name: 'Ed25519' } } as const;
const VERIFIES = { 'P-256': { name: 'ECDSA', hash: 'SHA-256' }, Ed25519: { name: 'Ed25519' } } as const;

/**
 * Returns what a provider signed. Undefined unless it is a JWS of that type, the key that its header names is one of these, that key signed
 * it, and it did so while it might.
 */
export async function verifyProviderJws(jws: string, typ: string, keys: readonly ProviderKey[]): Promise<SignedClaims | undefined> {
  const [head = '', body = '', signature = '', ...more] = jws.length <= PROVIDER_JWS_CHARS ? jws.split('.') : [];
  const [header, claims] = [objectIn(head), objectIn(body)];
  if (more.length > 0 || !header || !claims || header['typ'] !== typ || 'crit' in header) return undefined;
  const key = keys.find(({ kid }) => kid === header['kid']);
  if (!key || !ALGORITHMS[key.crv]?.includes(String(header['alg']))) return undefined;
  if (!(await isSignedBy(key, `${head}.${body}`, signature))) return undefined;
  const { iat } = claims;
  const isBeforeEnd = typeof iat === 'number' && (key.until === null || iat * 1000 <= Date.parse(key.until));
  return isBeforeEnd ? { kid: key.kid, claims } : undefined;
}

/** The members of a verified value that its attestation must have too, and the person whose value it is. */
export interface AttestedValue {
  person_user_id: string;
  verified_hash?: string | undefined;
  verified_salt?: string | undefined;
  verified_at?: string | undefined;
  verified_expires_at?: string | null | undefined;
  verified_method?: string | undefined;
  verified_provider?: string | undefined;
  verification_id?: string | undefined;
}

/**
 * Returns what a provider signed, when one of its keys attested exactly this value of this person, and undefined otherwise. That the
 * plaintext is the attested one, and that the time is not over, is checked beside it. @gap D1-2.7
 */
export async function verifyAttestation(
  jws: string,
  keys: readonly ProviderKey[],
  value: AttestedValue,
): Promise<SignedClaims | undefined> {
  const signed = await verifyProviderJws(jws, ATTESTATION_TYPE, keys);
  return signed && isAttestationOf(signed.claims, value) ? signed : undefined;
}

function isAttestationOf(claims: SignedClaims['claims'], value: AttestedValue): boolean {
  const { person_user_id: sub, verified_provider: iss, verification_id: jti, ...verified } = value;
  const expected = { sub, iss, jti, ...verified };
  return Object.entries(expected).every(([member, given]) => given !== undefined && claims[member] === given);
}

/**
 * Returns the digest by which an attestation names the field that it is about: SHA-256 over the salt, the slug and the type, each followed
 * by a line break. So it tells a company, which may see the attestation, neither slug nor type. @spec D1-2.5
 */
export const fieldHash = (field_salt: string, field: string, field_type: string): Promise<string> =>
  sha256Hex(plaintextBytes([field_salt, field, field_type].map((part) => `${part}\n`).join('')));

async function isSignedBy(key: ProviderKey, signed: string, signature: string): Promise<boolean> {
  const { kty, crv, x, y } = key;
  const curve = crv as keyof typeof IMPORTS;
  const bytes = decodeBase64Url(signature);
  if (!bytes) return false;
  try {
    const publicKey = await crypto.subtle.importKey('jwk', { kty, crv, x, ...(y !== undefined && { y }) }, IMPORTS[curve], false, [
      'verify',
    ]);
    return await crypto.subtle.verify(VERIFIES[curve], publicKey, bytes, plaintextBytes(signed));
  } catch {
    return false; // the coordinates are no point of the curve
  }
}

/** Returns the JSON object in a part of a JWS; undefined when there is none. */
function objectIn(part: string): Readonly<Record<string, unknown>> | undefined {
  const bytes = decodeBase64Url(part);
  if (!bytes) return undefined;
  try {
    const value = JSON.parse(decodeUtf8(bytes)) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
