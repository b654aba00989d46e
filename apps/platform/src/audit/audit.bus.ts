import { Controller } from '@nestjs/common';
import { OPERATOR } from '@cds/contracts';
import { Answers, type MessageOf } from '@cds/runtime/nest-bus';
import { asOperator } from './audit.service.ts';
import { AuditExport } from './audit-export.service.ts';

/** The audit of the front door, for an operator. */
@Controller()
export class AuditBus {
  constructor(private readonly audit: AuditExport) {}

  @Answers(OPERATOR.readAudit, { queue: 'front-door' })
  read(query: MessageOf<typeof OPERATOR.readAudit>) {
    return asOperator(() => this.audit.page(query));
  }
}
