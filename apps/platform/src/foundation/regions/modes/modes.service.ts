import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import type { ProjectionReader } from '@codase/runtime/bus';
import { NORMAL, type MODES, type RegionMode } from './mode.ts';

export const MODE_ROWS = Symbol('mode rows');

/** The mode of each region, as an operator switched it. Every base follows the modes. @spec D1-7 */
@Injectable()
export class Modes implements OnApplicationShutdown {
  constructor(@Inject(MODE_ROWS) private readonly rows: ProjectionReader<typeof MODES.shape>) {}

  of(region: string): Omit<RegionMode, 'region'> {
    return this.rows.get(region) ?? NORMAL;
  }

  /** Whether background work has to wait: the region saves nothing, or is being rebuilt. */
  isPaused(region: string): boolean {
    const { writes_paused, out_of_order } = this.of(region);
    return writes_paused || out_of_order;
  }

  /** Refuses every call to a region that is being rebuilt. */
  checkInOrder(region: string): void {
    if (this.of(region).out_of_order) throw new Refusal('platform.out_of_order');
  }

  /** Refuses calls that would save something while saving is paused. */
  checkWritable(region: string): void {
    this.checkInOrder(region);
    if (this.of(region).writes_paused) throw new Refusal('db.writes_paused');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.rows.close();
  }
}
