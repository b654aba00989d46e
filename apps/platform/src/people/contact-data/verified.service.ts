import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { MARK_VERIFIED } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { HERE, Modes, type Here } from '../../regions/index.ts';
import { ContactData } from './contact-data.service.ts';

/** Whoever verifies tells it through an operator: the documents do not say who that is. @gap D1-2.7 */
@Injectable()
export class Verified implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private answer: { drain(): Promise<void> } | undefined;

  constructor(
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
    private readonly modes: Modes,
    private readonly data: ContactData,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.here.base !== 'region') return;
    const { region } = this.here;
    this.answer = await this.bus.answer(
      MARK_VERIFIED,
      { region },
      async ({ user_id, field, verification }) => {
        this.modes.checkWritable(region);
        await this.data.verify(user_id, field, verification);
        return null;
      },
      { queue: `region-${region}` },
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.answer?.drain();
  }
}
