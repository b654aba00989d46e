import { LeaseEntity, ReplicaEntity } from '@codase/runtime/resilience/leases';
import { ConfigFault, LiveVariable, type LiveKeys } from '@codase/runtime/config';
import { Outbound } from '@codase/runtime/http';
import { AUDIT } from '../../foundation/audit/index.ts';
import type { Capability } from '../../kit/capability.ts';
import { DeliveryConfig, FrontDoorConfig, type RegionConfig } from '../../kit/config.ts';
import { REGION_DATABASES } from '../../kit/databases.ts';
import { FEED, SLOTS, slotsIn, type SlotSource } from '../feed/index.ts';
import { contribute } from '../../kit/hooks.ts';
import { MAIL } from '../mail/index.ts';
import { AccountsAndServices1763164800004 } from '../../migrations/region/1763164800004-accounts-and-services.ts';
import { Delivery1763164800007 } from '../../migrations/region/1763164800007-delivery.ts';
import { DeliveryLeases1763164800012 } from '../../migrations/region/1763164800012-delivery-leases.ts';
import { StandardWebhooks1763164800250 } from '../../migrations/region/1763164800250-standard-webhooks.ts';
import { SettledBeforeLeaving1763164800013 } from '../../migrations/region/1763164800013-settled-before-leaving.ts';
import { COMPANY_LEAVES, MOVES } from '../../storage/moves/index.ts';
import { outboundSettings } from '../../kit/outbound-settings.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { SERVICES } from '../services/index.ts';
import type { KeyList } from '../../kit/secrets/key-list.ts';
import { StoredSecrets } from '../../kit/secrets/stored-secrets.ts';
import { DeliveryBus } from './delivery/delivery.bus.ts';
import { DELIVERY_REGIONS, DeliveryWorker, OUTBOUND, REGION_SECRETS, REGION_SIGNING_KEYS } from './delivery/delivery.worker.ts';
import type { DeliveryRegion } from './delivery/region-delivery.service.ts';
import { ResealBus } from './reseal.bus.ts';
import { Reseal } from './reseal.service.ts';
import { SEALED_ROWS, STORED_SECRETS_RESEALS } from './stored-secrets-reseal.hook.ts';
import { PublishedWebhookKeys } from './published-webhook-keys.service.ts';
import { WebhookKeysHttp } from './webhook-keys.http.ts';
import { WebhooksHttp } from './webhooks.http.ts';
import { Webhooks } from './webhooks.service.ts';
import { LeavingWebhooks, SealedWebhooks } from './webhooks.store.ts';
import { METRICS } from './metrics.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { WebhookEntity } from './webhook.entity.ts';
import { deleteWebhooksAgain } from './after-restore.service.ts';

type KeyedByRegion = 'STORED_SECRETS_KEYS' | 'WEBHOOK_SIGNING_KEYS';

/** Refuses to start a delivery without keys of every region it delivers for. */
function checkRegions(config: DeliveryConfig, name: KeyedByRegion): void {
  const missing = Object.keys(config.DATABASES).filter((region) => !Object.hasOwn(config[name], region));
  if (missing.length > 0) throw new ConfigFault(missing.map((region) => `${name}: has no keys of the region ${region}`));
}

/** Provides the keys that sign deliveries, by region. */
function signingKeys(config: DeliveryConfig) {
  checkRegions(config, 'WEBHOOK_SIGNING_KEYS');
  const keys = LiveVariable.of(DeliveryConfig, config, 'WEBHOOK_SIGNING_KEYS');
  const regions = Object.keys(keys.current);
  const of = (region: string) => ({
    get current() {
      return keys.current[region] ?? [];
    },
  });
  const live: LiveKeys = {
    reread: () => void keys.reread(),
    ids: () => Object.fromEntries(regions.map((region) => [`webhook_signing_key.${region}`, of(region).current.map(({ id }) => id)])),
  };
  return { live, provider: { provide: REGION_SIGNING_KEYS, useValue: new Map(regions.map((region) => [region, of(region)])) } };
}

/** Provides the public keys of all deliveries. */
function publishedKeys(config: FrontDoorConfig | RegionConfig) {
  const published = new PublishedWebhookKeys(LiveVariable.of(FrontDoorConfig, config as FrontDoorConfig, 'WEBHOOK_KEYS'));
  return { providers: [{ provide: PublishedWebhookKeys, useValue: published }], keys: [published] };
}

/** Provides the keys for stored secrets. */
function regionSecrets(config: DeliveryConfig) {
  checkRegions(config, 'STORED_SECRETS_KEYS');
  const keys = LiveVariable.of(DeliveryConfig, config, 'STORED_SECRETS_KEYS');
  const of = (region: string): KeyList => ({
    get current() {
      return keys.current[region] ?? [];
    },
  });
  const lists = Object.keys(keys.current).map((region) => [region, of(region)] as const);
  const live: LiveKeys = {
    reread: () => void keys.reread(),
    ids: () => Object.fromEntries(lists.map(([region, { current }]) => [`stored_secrets_key.${region}`, current.map(({ id }) => id)])),
  };
  const secrets = new Map(lists.map(([region, list]) => [region, new StoredSecrets(list)]));
  return { live, provider: { provide: REGION_SECRETS, useValue: secrets } };
}

function configureDelivery(config: DeliveryConfig) {
  const [secrets, signing] = [regionSecrets(config), signingKeys(config)];
  const outbound = { provide: OUTBOUND, useValue: new Outbound(outboundSettings(config)) };
  return { providers: [secrets.provider, signing.provider, outbound], keys: [secrets.live, signing.live] };
}

const deliveryRegions = (databases: readonly Omit<DeliveryRegion, 'slots'>[], sources: readonly SlotSource[]): DeliveryRegion[] =>
  databases.map(({ region, db }) => ({ region, db, slots: slotsIn(db, sources) }));

/** Webhooks: how they are configured, and how events leave by them. @spec D1-2.9 @spec D1-6.3 */
export const WEBHOOKS: Capability = {
  name: 'webhooks',
  uses: [AUDIT, REGIONS, MOVES, FEED, SERVICES, MAIL],
  tables: {
    region: [
      {
        entity: WebhookEntity,
        moves: { owner: 'company_user_id', key: 'webhook_id', sealed: 'sealed_secrets', onArrival: { is_settled: false } },
      },
      { entity: LeaseEntity, stays: 'who delivers here' },
      { entity: ReplicaEntity, stays: 'who delivers here' },
    ],
  },
  reads: {
    profile: 'a delivery takes the events of companies that are at home, in the statement that reads them; measured at thousands a second',
    feed_event: 'the queue of a webhook is its channel of the feed, read together with the webhook; the feed deletes what was delivered',
  },
  afterRestore: { region: { first: [deleteWebhooksAgain], covers: ['webhook.deleted'] } },
  migrations: {
    region: [
      AccountsAndServices1763164800004,
      Delivery1763164800007,
      DeliveryLeases1763164800012,
      SettledBeforeLeaving1763164800013,
      StandardWebhooks1763164800250,
    ],
  },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  offers: [SEALED_ROWS, STORED_SECRETS_RESEALS],
  parts: {
    'front-door': { http: [WebhookKeysHttp], configure: publishedKeys },
    region: {
      http: [WebhooksHttp, WebhookKeysHttp],
      bus: [ResealBus],
      providers: [Webhooks, Reseal, LeavingWebhooks, SealedWebhooks],
      contributes: [contribute(COMPANY_LEAVES, LeavingWebhooks), contribute(SEALED_ROWS, SealedWebhooks)],
      configure: publishedKeys,
    },
    delivery: {
      bus: [DeliveryBus],
      workers: [DeliveryWorker],
      providers: [{ provide: DELIVERY_REGIONS, useFactory: deliveryRegions, inject: [REGION_DATABASES, SLOTS] }],
      configure: configureDelivery,
    },
  },
};
