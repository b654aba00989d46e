import type { BeforeApplicationShutdown, FactoryProvider, OnApplicationBootstrap } from '@nestjs/common';
import { Bus, makeConsumers } from '../bus/index.ts';
import { LOG, type Log } from '../telemetry/index.ts';

class StreamConsumers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private stop = async (): Promise<void> => {};

  constructor(
    private readonly bus: Bus,
    private readonly stream: string,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const making = await makeConsumers(this.bus, this.stream, this.log);
    this.stop = () => making.drain();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}

/** Lets an app make consumers of its stream for services in other accounts, which receive by them what the app publishes there. */
export const makesConsumersOf = (stream: string): FactoryProvider => ({
  provide: `consumers of ${stream}`,
  inject: [Bus, LOG],
  useFactory: (bus: Bus, log: Log) => new StreamConsumers(bus, stream, log),
});
