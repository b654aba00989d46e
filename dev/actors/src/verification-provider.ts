import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { PROVIDER_PROOF_TYPE, Refusal, verifications, type NewProviderKey, type NewVerificationProvider } from '@codase/contracts';
import { ATTESTATION_TYPE, verifiedHash } from '@codase/crypto';
import { Stranger } from './stranger.ts';
import type { User } from './user.ts';

const DAY_MS = 86_400_000;

/** A private key of a provider, and the name by which its signatures name it. */
export interface SigningKey {
  kid: string;
  privateKey: KeyObject;
}

/** A request for a verification, as the user hands it to a provider. */
type Requested = Awaited<ReturnType<User['fields']['asksToVerify']>>;

/** What a provider attests of a value, where it is not the usual. */
export interface Attesting {
  /** When the provider looked at the value, and until when the attestation is good. */
  at?: Date;
  until?: Date;
  /** Claims in place of the right ones. */
  claims?: Record<string, unknown>;
  key?: SigningKey;
}

/** Makes a key that signs with EdDSA. */
export const newSigningKey = (kid = 'first'): SigningKey => ({ kid, privateKey: generateKeyPairSync('ed25519').privateKey });

/** Returns the public key, as an operator registers it. */
export function publicKeyOf({ kid, privateKey }: SigningKey): NewProviderKey {
  const { d: _, ...jwk } = privateKey.export({ format: 'jwk' });
  return { ...jwk, kid } as NewProviderKey;
}

/** Signs claims as a compact JWS. */
export function signsJws({ kid, privateKey }: SigningKey, typ: string, claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'EdDSA', typ, kid })}.${part(claims)}`;
  return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
}

/** A company that verifies values of people: people show it a value, and it attests what it saw. */
export class VerificationProvider extends Stranger {
  constructor(
    frontDoorUrl: string,
    readonly provider_id: string,
    /** The key that it signs with now. */
    public key: SigningKey,
    /** The provider's own clock. */
    private readonly now: () => Date,
  ) {
    super(frontDoorUrl);
  }

  /** What an operator registers. It verifies texts, all types below them, and identity documents. */
  get registration(): NewVerificationProvider {
    const { provider_id } = this;
    const field_types = ['text', 'legal_document'];
    return { provider_id, name: `Provider ${provider_id}`, field_types, max_days: 365, keys: [publicKeyOf(this.key)] };
  }

  reads({ verification_id, api_url }: Requested, key = this.key) {
    const proof = this.proof('read_request', verification_id, api_url, key);
    return this.asks(
      verifications.readVerificationRequest,
      { params: { verificationId: verification_id }, body: { proof } },
      { at: api_url },
    );
  }

  /** Makes the attestation of a value that the user has shown. */
  async attestation(requested: Requested, text: string, { at, until, claims, key = this.key }: Attesting = {}): Promise<string> {
    const { user_id, field_hash } = await this.reads(requested);
    const [now, verified_salt] = [this.now(), randomBytes(18).toString('base64')];
    return signsJws(key, ATTESTATION_TYPE, {
      iss: this.provider_id,
      sub: user_id,
      jti: requested.verification_id,
      iat: Math.floor(now.getTime() / 1000),
      field_hash,
      verified_hash: await verifiedHash(verified_salt, text),
      verified_salt,
      verified_at: (at ?? now).toISOString(),
      verified_expires_at: (until ?? new Date((at ?? now).getTime() + 300 * DAY_MS)).toISOString(),
      verified_method: 'document',
      ...claims,
    });
  }

  async sends({ verification_id, api_url }: Requested, attestation: string): Promise<void> {
    const body = { attestation };
    await this.asks(verifications.attestValue, { params: { verificationId: verification_id }, body }, { at: api_url });
  }

  /** Verifies a value of a user who agrees and shows it. Returns the members that the value then has. */
  async verifies(user: User, slug: string, text: string, attesting: Attesting = {}) {
    const requested = await user.fields.asksToVerify(slug, this.provider_id);
    const attestation = await this.attestation(requested, text, attesting);
    await this.sends(requested, attestation);
    const { verified_hash, verified_salt, verified_at, verified_expires_at, verified_method } = claimsOf(attestation);
    const { verification_id } = requested;
    const verified = { verified_hash, verified_salt, verified_at, verified_expires_at, verified_method };
    return { ...verified, verified_provider: this.provider_id, verification_id };
  }

  async revokes(verification_id: string, api_url: string, key = this.key): Promise<void> {
    const proof = this.proof('revoke_attestation', verification_id, api_url, key);
    await this.asks(verifications.revokeAttestation, { params: { verificationId: verification_id }, body: { proof } }, { at: api_url });
  }

  /** Whether a base takes what the provider signs. A base that does not run counts as one that does. */
  async isKnownAt(api_url: string): Promise<boolean> {
    const nothing = { verification_id: 'ver_nothing', api_url } as Requested;
    const refused = await this.reads(nothing).then(
      () => undefined,
      (error: unknown) => error,
    );
    return !(refused instanceof Refusal && refused.key === 'verification.signature_refused');
  }

  /** Proves to a base that the provider asks, which counts for a minute. */
  proof(act: string, on: string, aud: string, key = this.key, claims: object = {}): string {
    const iat = Math.floor(this.now().getTime() / 1000);
    return signsJws(key, PROVIDER_PROOF_TYPE, { iss: this.provider_id, aud, iat, act, on, ...claims });
  }
}

const claimsOf = (jws: string) => JSON.parse(Buffer.from(jws.split('.')[1]!, 'base64url').toString()) as Record<string, string>;
