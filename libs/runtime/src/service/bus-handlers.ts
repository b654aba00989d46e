import { Injectable, type OnApplicationBootstrap, type BeforeApplicationShutdown, Inject } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Subscription } from '@nats-io/transport-node';
import { LOG, type Log } from '../telemetry/index.ts';
import { Bus, DurableConsumer } from '../bus/index.ts';
import { ANSWERS, CONSUMES } from '../bus/bindings.ts';

/** Finds the methods bound with @Answers and @Consumes and runs them while the app lives. */
@Injectable()
export class BusHandlers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly subscriptions: Subscription[] = [];
  private readonly consumers: { stop(): Promise<void> }[] = [];

  constructor(
    private readonly bus: Bus,
    @Inject(LOG) private readonly log: Log,
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const { instance } of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      if (!instance || typeof instance !== 'object') continue;
      for (const name of this.scanner.getAllMethodNames(Object.getPrototypeOf(instance))) await this.bind(instance, name);
    }
  }

  /** New requests go to other replicas; those in hand are finished by the bus when it closes. */
  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
    await Promise.all(this.subscriptions.map((subscription) => subscription.drain()));
  }

  private async bind(instance: object, name: string): Promise<void> {
    const method = (instance as Record<string, (...args: unknown[]) => unknown>)[name]!;
    const call = (...args: unknown[]) => method.apply(instance, args);
    const answers = ANSWERS.get(method);
    if (answers) this.subscriptions.push(await this.bus.answer(answers.subject, {}, call, { queue: answers.queue }));
    const consumes = CONSUMES.get(method);
    if (consumes)
      this.consumers.push(await DurableConsumer.start(this.bus, consumes.subject, consumes.options, call as () => Promise<void>, this.log));
  }
}
