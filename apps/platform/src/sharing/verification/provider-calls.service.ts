import { Inject, Injectable } from '@nestjs/common';
import {
  AttestationClaims,
  describeIssue,
  PROVIDER_CLOCK,
  PROVIDER_PROOF_TYPE,
  ProviderProofClaims,
  Refusal,
  type RequestedVerification,
  type Verification,
} from '@codase/contracts';
import { ATTESTATION_TYPE, fieldHash, isAttested } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { identifyInitiator } from '@codase/runtime/initiator';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import { apiUrlOf, BASES, HERE, OwnMode, type Bases, type Here } from '../../foundation/regions/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Attestations } from '../../services/verification-providers/index.ts';
import { findClearValue, findVerified, type VerifiedRow } from '../connections/index.ts';
import { ContactData } from '../people/index.ts';
import { checkAttestation } from './attestation-checks.ts';
import { METRICS } from './metrics.ts';
import { RequestsStore } from './requests.store.ts';
import type { VerificationRequestEntity } from './verification-request.entity.ts';

interface VerifiedSource {
  verification: Verification;
  updated_at: Date;
}

type ProofAct = z.infer<typeof ProviderProofClaims>['act'];

/** What was signed, by whom. */
interface Signed {
  provider_id: string;
  max_days: number;
  kid: string;
  claims: AttestationClaims;
  jws: string;
}

/** What verification providers do. Whoever has no key of a provider learns nothing, not even whether a request exists. @gap D1-2.7 */
@Injectable()
export class ProviderCalls {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly requests: RequestsStore,
    private readonly attestations: Attestations,
    private readonly data: ContactData,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(HERE) private readonly here: Here,
  ) {}

  async read(verification_id: string, proof: string): Promise<z.infer<typeof RequestedVerification>> {
    const provider_id = await this.proven(proof, 'read_request', verification_id);
    const request = await this.requestOf(verification_id, provider_id);
    const { user_id, field, field_type, expires_at } = request;
    count(METRICS.calls, { 'codase.outcome': 'read' });
    return { verification_id, user_id, field, field_type, field_hash: await hashOf(request), expires_at: expires_at.toISOString() };
  }

  /** Makes the value of a request verified. The same attestation sent again changes nothing. */
  async attest(verification_id: string, jws: string): Promise<void> {
    const signed = await this.signedAttestation(jws);
    const done = await this.verifiedRow(verification_id, signed.provider_id);
    if (done?.verification.attestation === jws) return;
    const request = await this.requestOf(verification_id, signed.provider_id);
    await this.check(signed, request);
    const { user_id, field } = request;
    await this.data.verify(user_id, field, (tx, source) => this.taken(tx, request, source, signed));
    count(METRICS.calls, { 'codase.outcome': 'attested' });
  }

  /** Ends the verification of a value, wherever it is live. */
  async revoke(verification_id: string, proof: string): Promise<void> {
    const provider_id = await this.proven(proof, 'revoke_attestation', verification_id);
    const row = await this.verifiedRow(verification_id, provider_id);
    if (!row) throw new Refusal('verification.not_found');
    await this.data.unverify(row.owner_user_id, row.slug, verification_id);
    count(METRICS.calls, { 'codase.outcome': 'revoked' });
  }

  private async check({ claims, provider_id, max_days }: Signed, request: VerificationRequestEntity): Promise<void> {
    const provider = this.attestations.provider(provider_id);
    if (!provider || !this.attestations.mayVerify(provider, request.field_type)) throw new Refusal('verification.type_not_offered');
    const { verification_id, user_id, created_at } = request;
    const now = this.clock.now();
    checkAttestation(claims, { verification_id, user_id, field_hash: await hashOf(request), created_at, max_days, now });
  }

  /** Uses up a request, in the transaction that stores what it returns. A value that is not private must be the attested one. */
  private async taken(
    tx: EntityManager,
    request: VerificationRequestEntity,
    source: VerifiedSource,
    signed: Signed,
  ): Promise<Verification> {
    const { user_id, field, field_salt, field_type } = request;
    const { claims, provider_id, kid, jws } = signed;
    if (source.verification.attestation === jws) return source.verification; // another process was faster
    if (source.updated_at.getTime() !== request.value_as_of.getTime()) throw new Refusal('verification.value_changed');
    if (!(await this.requests.take(tx, request))) throw new Refusal('verification.request_not_found');
    const clear = await findClearValue(tx, user_id, field);
    if (clear !== undefined && !(await isAttested(claims, clear)))
      throw new Refusal('verification.attestation_invalid').because('verified_hash: the value is public, and this is not its hash');
    const { verified_hash, verified_salt, verified_at, verified_expires_at, verified_method, jti: verification_id } = claims;
    const shown = { verified_hash, verified_salt, verified_at, verified_expires_at, verified_method, verified_provider: provider_id };
    return { ...shown, verification_id, attestation: jws, attested_key: kid, field_salt, field_type };
  }

  private async requestOf(verification_id: string, provider_id: string): Promise<VerificationRequestEntity> {
    const request = await this.requests.find(verification_id, provider_id, this.clock.now());
    if (!request) throw new Refusal('verification.request_not_found');
    return request;
  }

  private async verifiedRow(verification_id: string, provider_id: string): Promise<VerifiedRow | undefined> {
    const row = await findVerified(this.db, verification_id);
    return row?.verification.verified_provider === provider_id ? row : undefined;
  }

  private async signedAttestation(jws: string): Promise<Signed> {
    this.mode.checkWritable(); // the gatekeeper does so for callers with a token
    const signed = await this.attestations.signed(jws, ATTESTATION_TYPE);
    if (!signed) throw unsigned();
    const { provider_id, max_days } = signed.provider;
    identifyInitiator({ client_id: provider_id });
    const claims = AttestationClaims.safeParse(signed.claims, { error: describeIssue });
    if (!claims.success) {
      const [{ path, message }] = claims.error.issues as [z.core.$ZodIssue];
      throw new Refusal('verification.attestation_invalid').because(`${path.join('.')}: ${message}`);
    }
    return { provider_id, max_days, kid: signed.kid, claims: claims.data, jws };
  }

  /** Returns the provider that proves that it asks for this now, and at this base. */
  private async proven(proof: string, act: ProofAct, verification_id: string): Promise<string> {
    this.mode.checkWritable();
    const signed = await this.attestations.signed(proof, PROVIDER_PROOF_TYPE);
    const claims = ProviderProofClaims.safeParse(signed?.claims).data;
    const here = this.here.base === 'region' ? apiUrlOf(this.bases, this.here.region) : undefined;
    const isRecent = claims && Math.abs(this.clock.now().getTime() / 1000 - claims.iat) <= PROVIDER_CLOCK.skew_seconds;
    if (!signed || !isRecent || claims.aud !== here || claims.act !== act || claims.on !== verification_id) throw unsigned();
    identifyInitiator({ client_id: signed.provider.provider_id });
    return signed.provider.provider_id;
  }
}

const hashOf = ({ field_salt, field, field_type }: VerificationRequestEntity) => fieldHash(field_salt, field, field_type);

function unsigned(): Refusal {
  count(METRICS.calls, { 'codase.outcome': 'signature_refused' });
  return new Refusal('verification.signature_refused');
}
