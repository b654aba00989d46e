import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { Outbound } from '@codase/runtime/http';
import { LOG, type Log } from '@codase/runtime/telemetry';
import { Modes } from '../../../foundation/regions/index.ts';
import { RELAY, type Relay } from '../../mail/index.ts';
import type { StoredSecrets } from '../../../kit/secrets/stored-secrets.ts';
import type { WebhookSigningKey } from '../../../kit/secrets/webhook-signing-keys.ts';
import { Outgoing } from './outgoing.service.ts';
import { RegionDelivery, type DeliveryRegion } from './region-delivery.service.ts';

export const DELIVERY_REGIONS = Symbol('regions that are delivered for');
export const OUTBOUND = Symbol('Outbound');
export const REGION_SECRETS = Symbol('stored secrets by region');
export const REGION_SIGNING_KEYS = Symbol('keys that sign deliveries, by region');

/** Delivers webhooks for the given regions. Several processes share the webhooks of a region. @spec D1-6.3 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly regions: ReadonlyMap<string, RegionDelivery>;

  constructor(
    @Inject(DELIVERY_REGIONS) regions: readonly DeliveryRegion[],
    @Inject(OUTBOUND) private readonly outbound: Outbound,
    @Inject(REGION_SECRETS) stored: ReadonlyMap<string, StoredSecrets>,
    @Inject(REGION_SIGNING_KEYS) signing: ReadonlyMap<string, { readonly current: readonly WebhookSigningKey[] }>,
    @Inject(RELAY) relay: Relay | null,
    modes: Modes,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    const outgoing = (region: string) => new Outgoing(outbound, stored.get(region)!, clock, signing.get(region)!);
    const isPaused = (region: string) => () => modes.isPaused(region);
    this.regions = new Map(
      regions.map((of) => [
        of.region,
        new RegionDelivery({ ...of, outgoing: outgoing(of.region), clock, log, byMail: relay !== null, isPaused: isPaused(of.region) }),
      ]),
    );
  }

  async onApplicationBootstrap(): Promise<void> {
    await Promise.all([...this.regions.values()].map((region) => region.start()));
  }

  /** Sends a made-up event to a webhook of a region that this process delivers for. @gap D1-4.7 */
  test(region: string, webhook_id: string): ReturnType<RegionDelivery['test']> {
    return this.regions.get(region)!.test(webhook_id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.regions.values()].map((region) => region.close()));
    await this.outbound.close();
  }
}
