import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DELIVERY, Refusal } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { Outbound } from '@cds/runtime/http';
import { LOG, type Log } from '@cds/runtime/telemetry';
import { Modes } from '../../access/index.ts';
import { newId } from '../../ids.ts';
import { STORED_SECRETS, StoredSecrets } from '../../stored-secrets.ts';
import type { Met } from './due.ts';
import { Outgoing } from './outgoing.service.ts';
import { RegionDelivery, type DeliveryRegion } from './region-delivery.service.ts';

export const DELIVERY_REGIONS = Symbol('regions that are delivered for');
export const OUTBOUND = Symbol('Outbound');

/** Delivers webhooks for the regions it is given; several processes share the webhooks of a region. @spec D1-6.3 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly regions: ReadonlyMap<string, RegionDelivery>;
  private readonly outgoing: Outgoing;
  private answers: { drain(): Promise<void> }[] = [];

  constructor(
    @Inject(DELIVERY_REGIONS) regions: readonly DeliveryRegion[],
    @Inject(OUTBOUND) private readonly outbound: Outbound,
    @Inject(STORED_SECRETS) stored: StoredSecrets,
    @Inject(Modes) modes: Modes,
    @Inject(Bus) private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    this.outgoing = new Outgoing(outbound, stored);
    const { outgoing } = this;
    const isPaused = (region: string) => () => modes.of(region).writes_paused || modes.of(region).out_of_order;
    this.regions = new Map(regions.map((of) => [of.region, new RegionDelivery({ ...of, outgoing, clock, log, isPaused: isPaused(of.region) })]));
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.regions.values()].map((region) => region.start()));
    this.answers = await Promise.all([...this.regions].map(([region, { store }]) =>
      this.bus.answer(DELIVERY.test, { region }, ({ webhook_id }) => this.test(store, webhook_id), { queue: `delivery-${region}` })));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.answers.map((answer) => answer.drain()));
    await Promise.all([...this.regions.values()].map((region) => region.close()));
    await this.outbound.close();
  }

  /** A made-up event, outside of the queue: health and backlog stay as they are. @gap D1-4.7 */
  private async test(store: RegionDelivery['store'], webhook_id: string): Promise<Met> {
    const webhook = await store.target(webhook_id);
    if (!webhook) throw new Refusal('services.webhook_not_found');
    const at = this.clock.now().toISOString();
    const event = { id: newId('evt'), event: 'connection_created', person_user_id: 'test', share_code: null, at, customer_type: 'person' } as const;
    return this.outgoing.send(webhook, event, null);
  }
}
