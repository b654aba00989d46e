import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal, type Verification } from '@codase/contracts';
import { fieldHash, verifyAttestation, verifyProviderJws, type SignedClaims } from '@codase/crypto';
import type { ProjectionReader } from '@codase/runtime/bus';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import { FieldTypesView } from '../registry/index.ts';
import { METRICS } from './metrics.ts';
import { claimIn, isProvenFor, withoutProof } from './proof.ts';
import { PROVIDER_ROWS, type ProviderRow, type PROVIDERS } from './provider-rows.ts';

/** A field of a user: the source of a value. The type is null when the user has no such field. */
interface Source {
  user_id: string;
  field: string;
  /** Undefined where only the attestation says it. */
  type?: string | null;
}

/** What is wrong: the key is not listed, or did not sign this, or it is of another field, or of a type that the provider may not verify. */
type Fault = 'key' | 'signature' | 'field' | 'type';

const UNVERIFIED: Verification = {};

/**
 * Says which verifications hold: those that a key signed which the operator lists now. A region asks this where a value is stored, whoever
 * sent it, so no region can say of a value that somebody verified it. @gap D1-2.7
 */
@Injectable()
export class Attestations implements OnApplicationShutdown {
  constructor(
    @Inject(PROVIDER_ROWS) private readonly rows: ProjectionReader<typeof PROVIDERS.shape>,
    private readonly view: FieldTypesView,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }

  provider(provider_id: string): ProviderRow | undefined {
    const provider = this.rows.get(provider_id);
    return provider?.removed ? undefined : provider;
  }

  /** Whether a provider may verify fields of this type. */
  mayVerify({ field_types }: ProviderRow, type: string): boolean {
    return field_types.some((offered) => this.view.types.accepts(offered, type));
  }

  /** The keys that operators revoked, with those of removed providers: every verification by one of them is over. */
  get revokedKeys(): readonly { provider_id: string; kid: string }[] {
    return this.rows.all().flatMap(({ provider_id, revoked }) => revoked.map((kid) => ({ provider_id, kid })));
  }

  /** Returns what a provider signed, and the provider; undefined when no key of the one that it names did. */
  async signed(jws: string, typ: string): Promise<(SignedClaims & { provider: ProviderRow }) | undefined> {
    const provider = this.provider(claimIn(jws, 'iss') ?? '');
    const signed = provider && (await verifyProviderJws(jws, typ, provider.keys));
    return signed && { ...signed, provider };
  }

  /** Returns a stored verification as it stands now: none when its provider or key was removed since. Its signature was checked before. */
  standing(verification: Verification): Verification {
    const { verified_provider, attested_key } = verification;
    const provider = verified_provider === undefined ? undefined : this.provider(verified_provider);
    return provider?.keys.some(({ kid }) => kid === attested_key) ? verification : UNVERIFIED;
  }

  /** The same, with the members that are shown. @spec D1-2.7 */
  shown(verification: Verification): Verification {
    return withoutProof(this.standing(verification));
  }

  /** Returns a verification that came with a value, if a provider attested it for this field of this user; none otherwise. */
  async proven(verification: Verification, source: Source): Promise<Verification> {
    if (verification.verified_hash === undefined) return UNVERIFIED;
    if (!this.rows.isFollowing) throw new Refusal('service.unavailable');
    const fault = await this.faultOf(verification, source);
    if (fault === undefined) return verification;
    count(METRICS.unproven, { 'codase.fault': fault });
    this.log.warn('a verification was left out: no attestation of a provider proves it', { 'codase.fault': fault });
    return UNVERIFIED;
  }

  private async faultOf(verification: Verification, { user_id, field, type }: Source): Promise<Fault | undefined> {
    const { verified_provider = '', attestation = '', attested_key, field_salt = '', field_type = '' } = verification;
    const provider = this.provider(verified_provider);
    if (!provider?.keys.some(({ kid }) => kid === attested_key)) return 'key';
    const signed = await verifyAttestation(attestation, provider.keys, isProvenFor(user_id, verification));
    if (!signed || signed.kid !== attested_key) return 'signature';
    const isOfField = signed.claims['field_hash'] === (await fieldHash(field_salt, field, field_type));
    if (!isOfField || (type !== undefined && type !== field_type)) return 'field';
    return this.mayVerify(provider, field_type) ? undefined : 'type';
  }
}
