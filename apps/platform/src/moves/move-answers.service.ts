import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { REGION } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { HERE, type Here } from '../regions/index.ts';
import { MoveTarget } from './move-target.service.ts';
import { CompanyRows } from './company-rows.store.ts';
import { MoveSource } from './move-source.service.ts';

/** What this region answers the front door, and the region a company comes from. Replicas share a queue, regions do not. */
@Injectable()
export class MoveAnswers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private answers: { drain(): Promise<void> }[] = [];

  constructor(
    private readonly bus: Bus,
    @Inject(HERE) private readonly here: Here,
    private readonly leaving: MoveSource,
    private readonly arriving: MoveTarget,
    private readonly rows: CompanyRows,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (this.here.base !== 'region') return;
    const { region } = this.here;
    const { bus, leaving, arriving, rows } = this;
    const queue = { queue: `region-${region}` };
    this.answers = await Promise.all([
      bus.answer(REGION.beginLeaving, { region }, (move) => leaving.begin(move), queue),
      bus.answer(REGION.handOver, { region }, (move) => leaving.handOver(move), queue),
      bus.answer(REGION.finishLeaving, { region }, (move) => leaving.finish(move), queue),
      bus.answer(REGION.stay, { region }, (move) => leaving.stay(move), queue),
      bus.answer(REGION.beginArriving, { region }, (move) => arriving.begin(move), queue),
      bus.answer(REGION.takeRows, { region }, (move) => arriving.takeRows(move), queue),
      bus.answer(REGION.finishArriving, { region }, (move) => arriving.finish(move), queue),
      bus.answer(REGION.forgetArrival, { region }, (move) => arriving.forget(move), queue),
      bus.answer(REGION.holdings, { region }, ({ user_id }) => rows.holdings(user_id), queue),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.answers.map((answer) => answer.drain()));
  }
}
