import { z } from 'zod';
import { EcKey, EdKey } from '../clients/client-keys.ts';
import { expects } from '../core/fails.ts';
import { named } from '../core/named.ts';
import { Id, Line, Sha256, Slug, Timestamp } from '../core/text.ts';
import { ATTESTATION_DAYS, PROVIDER_KEYS } from './limits.ts';

const PROVIDER_ID = /^[a-z][a-z0-9-]{0,39}$/;
/** The name by which values name their provider: `verified_provider`. */
export const ProviderId = z.string().regex(PROVIDER_ID, expects('must be 1 to 40 of a-z, 0-9 and -, the first of them a letter'));

const kid = z.string().regex(/^[\x21-\x7e]{1,128}$/, expects('must be 1 to 128 visible ASCII characters'));
/** A public key of a provider, as a JSON Web Key. Its members are a closed list, so no private part is taken. */
export const NewProviderKey = z.discriminatedUnion('kty', [EcKey.extend({ kid }), EdKey.extend({ kid })]);
export type NewProviderKey = z.infer<typeof NewProviderKey>;

const until = Timestamp.nullable().describe('Until when the key signs; null while it does. What it signed before stays verified');
/** The same with its time. */
export const ProviderKey = named('ProviderKey', z.discriminatedUnion('kty', [EcKey.extend({ kid, until }), EdKey.extend({ kid, until })]));

const described = {
  provider_id: ProviderId,
  name: Line,
  field_types: z.array(Slug).min(1).max(100).describe('The types of fields that it verifies, with all types below them'),
  max_days: z.int().min(1).max(ATTESTATION_DAYS).describe('For how many days an attestation of it is good at most'),
};

const hasOwnKids = (keys: readonly { kid: string }[]): boolean => new Set(keys.map((key) => key.kid)).size === keys.length;

/** A provider as an operator registers it. @gap D1-2.7 */
export const NewVerificationProvider = z.strictObject({
  ...described,
  keys: z.array(NewProviderKey).min(1).max(PROVIDER_KEYS).refine(hasOwnKids, expects('must have a kid of its own for each key')),
});
export type NewVerificationProvider = z.infer<typeof NewVerificationProvider>;

/** A provider that verifies values of profiles, with the keys by which anyone can check what it attested. @gap D1-2.7 */
export const VerificationProvider = named('VerificationProvider', z.object({ ...described, keys: z.array(ProviderKey) }));
export type VerificationProvider = z.infer<typeof VerificationProvider>;

/** What a user asked a provider to verify. The user names it to the provider, by a link or in person. @gap D1-2.7 */
export const VerificationRequest = named(
  'VerificationRequest',
  z.object({
    verification_id: Id,
    provider_id: z.string(),
    field: z.string(),
    api_url: z.string().describe('The base at which the provider reads the request and attests the value'),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
);

/** What a provider reads of a request. The value itself is not in it: the user shows it to the provider. @gap D1-2.7 */
export const RequestedVerification = named(
  'RequestedVerification',
  z.object({
    verification_id: Id,
    user_id: Id,
    field: z.string(),
    field_type: z.string(),
    field_hash: Sha256.describe('The digest that stands for the field in the attestation, so that companies do not learn which it is'),
    expires_at: Timestamp,
  }),
);

const UtcTime = z.iso.datetime(expects('must be a time in UTC, which ends in Z'));
const NumericDate = z.number().min(0).max(1e11);

/** What a provider signs to attest a value. The salt is random, so that nobody guesses the value from its hash. @gap D1-2.7 */
export const AttestationClaims = z.looseObject({
  iss: z.string(),
  sub: Id,
  jti: Id,
  iat: NumericDate,
  field_hash: Sha256,
  verified_hash: Sha256,
  verified_salt: z.string().regex(/^[\x21-\x7e]{16,200}$/, expects('must be 16 to 200 visible ASCII characters')),
  verified_at: UtcTime,
  verified_expires_at: UtcTime,
  verified_method: Slug,
});
export type AttestationClaims = z.infer<typeof AttestationClaims>;

/** The `typ` of the JWS by which a provider proves that it asks. @gap D1-2.7 */
export const PROVIDER_PROOF_TYPE = 'codase-verification+jwt';

/** What a provider signs to read a request or to revoke an attestation: which, and at which base. @gap D1-2.7 */
export const ProviderProofClaims = z.looseObject({
  iss: z.string(),
  aud: z.string(),
  iat: NumericDate,
  act: z.enum(['read_request', 'revoke_attestation']),
  on: Id,
});

/** An attestation, as the provider signed it. @gap D1-2.7 */
export const Attestation = named('Attestation', z.object({ verification_id: Id, person_user_id: Id, attestation: z.string() }));
