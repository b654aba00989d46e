import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DELIVERY } from '@cds/contracts';
import { Bus } from '@cds/runtime/bus';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { Outbound } from '@cds/runtime/http';
import { LOG, type Log } from '@cds/runtime/telemetry';
import { Modes } from '../../regions/index.ts';
import { RELAY, type Relay } from '../../mail/index.ts';
import { STORED_SECRETS, StoredSecrets } from '../../stored-secrets.ts';
import { Outgoing } from './outgoing.service.ts';
import { RegionDelivery, type DeliveryRegion } from './region-delivery.service.ts';

export const DELIVERY_REGIONS = Symbol('regions that are delivered for');
export const OUTBOUND = Symbol('Outbound');

/** Delivers webhooks for the regions it is given; several processes share the webhooks of a region. @spec D1-6.3 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly regions: ReadonlyMap<string, RegionDelivery>;
  private answers: { drain(): Promise<void> }[] = [];

  constructor(
    @Inject(DELIVERY_REGIONS) regions: readonly DeliveryRegion[],
    @Inject(OUTBOUND) private readonly outbound: Outbound,
    @Inject(STORED_SECRETS) stored: StoredSecrets,
    @Inject(RELAY) relay: Relay | null,
    modes: Modes,
    private readonly bus: Bus,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    const outgoing = new Outgoing(outbound, stored);
    const isPaused = (region: string) => () => modes.of(region).writes_paused || modes.of(region).out_of_order;
    this.regions = new Map(
      regions.map((of) => [
        of.region,
        new RegionDelivery({ ...of, outgoing, clock, log, byMail: relay !== null, isPaused: isPaused(of.region) }),
      ]),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.regions.values()].map((region) => region.start()));
    this.answers = await Promise.all(
      [...this.regions].map(([region, delivery]) =>
        this.bus.answer(DELIVERY.test, { region }, ({ webhook_id }) => delivery.test(webhook_id), { queue: `delivery-${region}` }),
      ),
    );
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.answers.map((answer) => answer.drain()));
    await Promise.all([...this.regions.values()].map((region) => region.close()));
    await this.outbound.close();
  }
}
