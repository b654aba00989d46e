import { Controller, UseGuards } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { Answers, type MessageOf } from '@codase/runtime/nest-bus';
import { HomeRegionGuard } from '../../access/identity/index.ts';
import { RegisteredApps } from './registered-apps.service.ts';

const QUEUE = { queue: 'front-door', fixed: ['region'] } as const;

/** Answers requests of regions about the sign-in apps of their companies. */
@UseGuards(HomeRegionGuard)
@Controller()
export class RegisteredAppsBus {
  constructor(private readonly apps: RegisteredApps) {}

  @Answers(FRONT_DOOR.registerApp, QUEUE)
  register(app: MessageOf<typeof FRONT_DOOR.registerApp>) {
    return this.apps.register(app);
  }

  @Answers(FRONT_DOOR.readApp, QUEUE)
  read(own: MessageOf<typeof FRONT_DOOR.readApp>) {
    return this.apps.read(own);
  }

  @Answers(FRONT_DOOR.listApps, QUEUE)
  list(page: MessageOf<typeof FRONT_DOOR.listApps>) {
    return this.apps.list(page);
  }

  @Answers(FRONT_DOOR.changeApp, QUEUE)
  change(change: MessageOf<typeof FRONT_DOOR.changeApp>) {
    return this.apps.change(change);
  }
}
