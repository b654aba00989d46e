import { Controller, Inject } from '@nestjs/common';
import { Refusal, verifications as contracts, type Caller, type Input, type Verification } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Attestations, claimIn } from '../../services/verification-providers/index.ts';
import { findSharedVerification } from '../connections/index.ts';
import { ATTESTED_ANSWERS, type AttestedAnswers } from './attested-answers.hook.ts';
import { ProviderCalls } from './provider-calls.service.ts';
import { VerificationRequests } from './verification-requests.service.ts';

type Own = Caller<typeof contracts.requestVerification>;
type Service = Caller<typeof contracts.readAttestation>;

/** How values get verified: users ask, providers attest, companies check. @gap D1-2.7 */
@Controller()
export class VerificationHttp {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly requests: VerificationRequests,
    private readonly calls: ProviderCalls,
    private readonly attestations: Attestations,
    @Inject(ATTESTED_ANSWERS) private readonly answers: readonly AttestedAnswers[],
  ) {}

  @Serves(contracts.requestVerification)
  request({ params, body }: Input<typeof contracts.requestVerification>, caller: Own) {
    return this.requests.make(userOf(caller), params.slug, body.provider_id);
  }

  @Serves(contracts.listVerificationRequests)
  async list({ params }: Input<typeof contracts.listVerificationRequests>, caller: Own) {
    return { items: await this.requests.list(userOf(caller), params.slug), next_cursor: null };
  }

  @Serves(contracts.withdrawVerificationRequest)
  withdraw({ params }: Input<typeof contracts.withdrawVerificationRequest>, caller: Own) {
    return this.requests.withdraw(userOf(caller), params.slug, params.verificationId);
  }

  @Serves(contracts.readVerificationRequest)
  read({ params, body }: Input<typeof contracts.readVerificationRequest>) {
    return this.calls.read(params.verificationId, body.proof);
  }

  @Serves(contracts.attestValue)
  attest({ params, body }: Input<typeof contracts.attestValue>) {
    return this.calls.attest(params.verificationId, body.attestation);
  }

  @Serves(contracts.revokeAttestation)
  revoke({ params, body }: Input<typeof contracts.revokeAttestation>) {
    return this.calls.revoke(params.verificationId, body.proof);
  }

  /** @spec D1-2.7 */
  @Serves(contracts.readAttestation)
  async attestation({ params }: Input<typeof contracts.readAttestation>, caller: Service) {
    const { verificationId: verification_id } = params;
    const { attestation } = this.attestations.standing((await this.verificationOf(caller, verification_id)) ?? {});
    const person_user_id = attestation && claimIn(attestation, 'sub');
    if (!person_user_id) throw new Refusal('verification.not_found');
    return { verification_id, person_user_id, attestation };
  }

  private async verificationOf(service: Service, verification_id: string): Promise<Verification | undefined> {
    const shared = await findSharedVerification(this.db, service, verification_id);
    if (shared) return shared;
    for (const answers of this.answers) {
      const found = await answers.findAttested(service, verification_id);
      if (found) return found;
    }
    return undefined;
  }
}
