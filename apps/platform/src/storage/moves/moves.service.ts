import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { apiUrlOf, BASES, type Bases } from '../../foundation/regions/index.ts';
import { MovesStore } from './moves.store.ts';
import { MovesWorker } from './moves.worker.ts';

/** Begins moves. @gap D1-5.6 */
@Injectable()
export class Moves {
  constructor(
    private readonly store: MovesStore,
    private readonly worker: MovesWorker,
    @Inject(BASES) private readonly bases: Bases,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async begin(user_id: string, to: string): Promise<{ from: string; to: string }> {
    if (!apiUrlOf(this.bases, to))
      throw new Refusal('account.region_unknown').because('region: there is none of this name; GET /api/regions lists them');
    const from = await this.store.begin(user_id, to, this.clock.now());
    if (!from) throw new Refusal('account.moving');
    this.worker.wake();
    return { from, to };
  }
}
