import { Inject, Injectable } from '@nestjs/common';
import type { REGION } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { emitAppEvents, type AppEventPresenter } from '../../foundation/app-events/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { OwnMode } from '../../foundation/regions/index.ts';

/** Informs the phones of persons that a sign-in waits for them, by its id: they read the list. @gap D1-4.6 */
@Injectable()
export class WaitingSignIns implements AppEventPresenter {
  readonly presents: AppEventPresenter['presents'] = {
    sign_in_waiting: async ({ object_id: sign_in_id }) => ({ sign_in_id }),
  };

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async announce(signIn: MessageOf<typeof REGION.announceSignIn>): Promise<void> {
    const { user_id: person_user_id, company_user_id, sign_in_id: object_id } = signIn;
    this.mode.checkWritable();
    const event = { person_user_id, company_user_id, kind: 'sign_in_waiting', object_id, at: this.clock.now() } as const;
    await this.db.transaction((tx) => emitAppEvents(tx, [event]));
  }
}
