import { operation, Refusal, verifications } from '@codase/contracts';
import { verifyAttestation, type AttestedValue, type ProviderKey } from '@codase/crypto';
import type { Bus } from '@codase/runtime/bus';

/** A verified value or answer as the platform shows it, with its person. Other members are left out of account. */
export type VerifiedValue = AttestedValue;

/** The public keys of a provider: from `GET /api/verification/providers`, or from the provider itself. */
export type ProviderKeys = readonly ProviderKey[];

/**
 * Whether one of these keys of a provider signed what the platform says of a verified value. False where it says of no verification, where
 * the verification was revoked, and where it says something else than the provider did. @spec D1-2.7
 */
export async function isSignedByProvider(
  { bus, service }: { bus: Bus; service: string },
  value: VerifiedValue,
  keys: ProviderKeys,
): Promise<boolean> {
  const { verification_id: verificationId } = value;
  if (verificationId === undefined) return false;
  try {
    const { attestation } = await bus.request(operation(verifications.readAttestation), { service }, { params: { verificationId } });
    return (await verifyAttestation(attestation, keys, membersOf(value))) !== undefined;
  } catch (error) {
    if (error instanceof Refusal && error.key === 'verification.not_found') return false;
    throw error;
  }
}

const membersOf = (value: VerifiedValue): AttestedValue => ({
  person_user_id: value.person_user_id,
  verified_hash: value.verified_hash,
  verified_salt: value.verified_salt,
  verified_at: value.verified_at,
  verified_expires_at: value.verified_expires_at,
  verified_method: value.verified_method,
  verified_provider: value.verified_provider,
  verification_id: value.verification_id,
});
