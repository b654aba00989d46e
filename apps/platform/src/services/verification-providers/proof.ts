import type { Verification } from '@codase/contracts';
import type { AttestedValue } from '@codase/crypto';

/** Returns the members of a verification that are shown, without what proves it. @spec D1-2.7 */
export function withoutProof({
  attestation: _jws,
  attested_key: _key,
  field_salt: _salt,
  field_type: _type,
  ...shown
}: Verification): Verification {
  return shown;
}

/** Returns what the attestation of a verification has to say. */
export const isProvenFor = (person_user_id: string, verification: Verification): AttestedValue => {
  const { verified_hash, verified_salt, verified_at, verified_expires_at, verified_method, verified_provider, verification_id } =
    verification;
  return {
    person_user_id,
    verified_hash,
    verified_salt,
    verified_at,
    verified_expires_at,
    verified_method,
    verified_provider,
    verification_id,
  };
};

/** Reads a claim of a JWS. Nothing of it is verified. */
export function claimIn(jws: string, claim: 'iss' | 'sub'): string | undefined {
  try {
    const claims = JSON.parse(Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<string, unknown> | null;
    const value = claims?.[claim];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
