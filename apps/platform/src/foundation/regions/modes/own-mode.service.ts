import { Inject, Injectable } from '@nestjs/common';
import { HERE, type Here } from '../bases.ts';
import { Modes } from './modes.service.ts';

/** The mode of the region that this process serves. */
@Injectable()
export class OwnMode {
  constructor(
    private readonly modes: Modes,
    @Inject(HERE) private readonly here: Here,
  ) {}

  /** Whether background work has to wait. A process that serves no region has no such work. */
  isPaused(): boolean {
    return this.here.base !== 'region' || this.modes.isPaused(this.here.region);
  }

  /** Refuses every call while the region is being rebuilt. */
  checkInOrder(): void {
    this.modes.checkInOrder(this.region);
  }

  /** Refuses calls that would save something while saving is paused. */
  checkWritable(): void {
    this.modes.checkWritable(this.region);
  }

  private get region(): string {
    if (this.here.base !== 'region') throw new Error('only a region has a mode');
    return this.here.region;
  }
}
