import { Controller } from '@nestjs/common';
import { OPERATOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { asOperator } from '../../audit/index.ts';
import { ModeSwitch } from './mode-switch.service.ts';

@Controller()
export class ModeSwitchBus {
  constructor(private readonly modes: ModeSwitch) {}

  @Answers(OPERATOR.setMode, { queue: 'front-door' })
  setMode(change: MessageOf<typeof OPERATOR.setMode>) {
    return asOperator(() => this.modes.setMode(change));
  }
}
