import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Refusal, Region } from '@codase/contracts';
import type { ProjectionReader } from '@codase/runtime/bus';
import { z } from 'zod';

/** The state of a region: saving paused, or the whole region being rebuilt. @spec D1-7 */
export const RegionMode = z.object({ region: Region, writes_paused: z.boolean(), out_of_order: z.boolean() });
export type RegionMode = z.infer<typeof RegionMode>;

const NORMAL = { writes_paused: false, out_of_order: false } as const;

/** The projection of the modes, which every base follows. */
export const MODES = { bucket: 'modes', shape: RegionMode };

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
