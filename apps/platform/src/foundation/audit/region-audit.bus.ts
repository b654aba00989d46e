import { Controller } from '@nestjs/common';
import { READ_REGION_AUDIT } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from './audit.service.ts';
import { AuditExport } from './audit-export.service.ts';

/** The audit of a region, for an operator. */
@Controller()
export class RegionAuditBus {
  constructor(private readonly audit: AuditExport) {}

  @Answers(READ_REGION_AUDIT, { queue: 'region-{region}', fixed: ['region'] })
  read(query: MessageOf<typeof READ_REGION_AUDIT>) {
    return asOperator(() => this.audit.page(query));
  }
}
