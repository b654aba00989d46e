import { Inject, Injectable } from '@nestjs/common';
import type { DOCUMENT_SUBJECTS } from '@codase/contracts';
import { isAttested } from '@codase/crypto';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import { Attestations } from '../../services/verification-providers/index.ts';

type ActRequest = MessageOf<typeof DOCUMENT_SUBJECTS.act>;
type Signing = Extract<ActRequest['act'], { kind: 'sign' }>;

/** Decides whether the name of a signer is verified, in the region of the document: the home region of the signer may be broken. */
@Injectable()
export class SignerNames {
  constructor(
    private readonly attestations: Attestations,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Returns an act with what the attestations in it prove of the signer's name. @spec D1-6.2 @spec D1-2.7 */
  async judged({ act, ...request }: ActRequest): Promise<ActRequest> {
    if (act.kind !== 'sign') return { ...request, act };
    const { names, ...signature } = act;
    return { ...request, act: { ...signature, signer_name_verified: await this.isVerified(request.user_id, signature, names) } };
  }

  private async isVerified(user_id: string, signature: Omit<Signing, 'names'>, names: Signing['names']): Promise<boolean> {
    if (!names) return false;
    const given = { first_name: signature.signer_first_name, last_name: signature.signer_last_name };
    for (const field of ['first_name', 'last_name'] as const) {
      const verification = await this.attestations.proven(names[field], { user_id, field });
      const end = verification.verified_expires_at;
      const isOver = typeof end === 'string' && Date.parse(end) <= this.clock.now().getTime();
      if (isOver || !(await isAttested(verification, given[field]))) return false;
    }
    return true;
  }
}
