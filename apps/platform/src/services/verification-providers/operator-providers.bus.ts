import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../foundation/audit/index.ts';
import { OperatorProviders } from './operator-providers.service.ts';

const FRONT_DOOR = { queue: 'front-door' } as const;

@Controller()
export class OperatorProvidersBus {
  constructor(private readonly providers: OperatorProviders) {}

  @Answers(OPERATOR.addVerificationProvider, FRONT_DOOR)
  async add(given: MessageOf<typeof OPERATOR.addVerificationProvider>) {
    await asOperator(() => this.providers.add(given));
    return null;
  }

  @Answers(OPERATOR.listVerificationProviders, FRONT_DOOR)
  async list() {
    return { providers: await this.providers.list() };
  }

  @Answers(OPERATOR.rotateVerificationKey, FRONT_DOOR)
  async rotate({ provider_id, key, overlap_days }: MessageOf<typeof OPERATOR.rotateVerificationKey>) {
    await asOperator(() => this.providers.addKey(provider_id, key, overlap_days));
    return null;
  }

  @Answers(OPERATOR.revokeVerificationKey, FRONT_DOOR)
  async revoke({ provider_id, kid }: MessageOf<typeof OPERATOR.revokeVerificationKey>) {
    await asOperator(() => this.providers.revokeKey(provider_id, kid));
    return null;
  }

  @Answers(OPERATOR.removeVerificationProvider, FRONT_DOOR)
  async remove({ provider_id }: MessageOf<typeof OPERATOR.removeVerificationProvider>) {
    await asOperator(() => this.providers.remove(provider_id));
    return null;
  }
}
