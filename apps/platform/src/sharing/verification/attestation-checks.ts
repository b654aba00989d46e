import { PROVIDER_CLOCK, Refusal, type AttestationClaims } from '@codase/contracts';

const [SECOND_MS, HOUR_MS, DAY_MS] = [1000, 3_600_000, 86_400_000];

/** What the attestation of a request has to say. */
interface Expected {
  verification_id: string;
  user_id: string;
  field_hash: string;
  created_at: Date;
  /** For how many days an attestation of the provider is good at most. */
  max_days: number;
  now: Date;
}

const invalid = (reason: string) => new Refusal('verification.attestation_invalid').because(reason);

/** Checks what a provider signed for a request. Each check names the claim that does not fit. @gap D1-2.7 */
export function checkAttestation(claims: AttestationClaims, expected: Expected): void {
  for (const [isWrong, reason] of CHECKS) if (isWrong(claims, expected)) throw invalid(reason);
}

type Check = (claims: AttestationClaims, expected: Expected) => boolean;

const skewMs = PROVIDER_CLOCK.skew_seconds * SECOND_MS;
const [verifiedAt, expiresAt] = [
  ({ verified_at }: AttestationClaims) => Date.parse(verified_at),
  ({ verified_expires_at }: AttestationClaims) => Date.parse(verified_expires_at),
];

const CHECKS: readonly (readonly [Check, string])[] = [
  [({ jti }, { verification_id }) => jti !== verification_id, 'jti: must be the id of the request'],
  [({ sub }, { user_id }) => sub !== user_id, 'sub: must be the user_id of the request'],
  [(claims, { field_hash }) => claims.field_hash !== field_hash, 'field_hash: must be that of the request'],
  [({ iat }, { created_at }) => iat * SECOND_MS < created_at.getTime() - skewMs, 'iat: must not be before the request'],
  [({ iat }, { now }) => iat * SECOND_MS > now.getTime() + skewMs, 'iat: must not be in the future'],
  [
    (claims, { created_at }) => verifiedAt(claims) < created_at.getTime() - PROVIDER_CLOCK.looked_hours * HOUR_MS,
    `verified_at: must be at most ${PROVIDER_CLOCK.looked_hours} hours before the request: look at the value again`,
  ],
  [(claims, { now }) => verifiedAt(claims) > now.getTime() + skewMs, 'verified_at: must not be in the future'],
  [(claims, { now }) => expiresAt(claims) <= now.getTime(), 'verified_expires_at: must be in the future'],
  [
    (claims, { max_days }) => expiresAt(claims) > verifiedAt(claims) + max_days * DAY_MS,
    'verified_expires_at: must not be later than the max_days of the provider allow',
  ],
];
