import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { FEED } from '@cds/contracts';
import { Bus, makeConsumers } from '@cds/runtime/bus';
import { LOG, type Log } from '@cds/runtime/telemetry';

/** Creates the stream consumers by which the company's own services receive events. */
@Injectable()
export class ConsumersService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stop = async (): Promise<void> => {};

  constructor(
    private readonly bus: Bus,
    @Inject(LOG) private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const making = await makeConsumers(this.bus, FEED.stream!, this.log);
    this.stop = () => making.drain();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}
