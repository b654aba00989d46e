import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../foundation/audit/index.ts';
import { OperatorFieldTypes } from './operator-field-types.service.ts';

@Controller()
export class OperatorFieldTypesBus {
  constructor(private readonly types: OperatorFieldTypes) {}

  @Answers(OPERATOR.putFieldType, { queue: 'front-door' })
  async put(row: MessageOf<typeof OPERATOR.putFieldType>) {
    await asOperator(() => this.types.put(row));
    return null;
  }
}
