import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator, Audit } from './audit.service.ts';
import { AuditExport } from './audit-export.service.ts';

/** The audit of the front door, for an operator. */
@Controller()
export class AuditBus {
  constructor(
    private readonly exported: AuditExport,
    private readonly audit: Audit,
  ) {}

  @Answers(OPERATOR.readAudit, { queue: 'front-door' })
  read(query: MessageOf<typeof OPERATOR.readAudit>) {
    return asOperator(() => this.exported.page(query));
  }

  @Answers(OPERATOR.recordKeyChange, { queue: 'front-door' })
  async recordKeyChange({ list: kind, base, key_id: object, step: reason }: MessageOf<typeof OPERATOR.recordKeyChange>) {
    await asOperator(() => this.audit.recordAlone({ act: 'key.rotated', object, details: { kind, base, reason } }));
    return null;
  }
}
