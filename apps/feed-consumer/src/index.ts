import { randomUUID } from 'node:crypto';
import { PARTITIONS } from '@codase/contracts';
import { Publisher } from '@codase/runtime/bus';
import type { Clock } from '@codase/runtime/clock';
import { ConfigFault } from '@codase/runtime/config';
import { configuredDatabase, databaseAnswers, schemaIsCurrent } from '@codase/runtime/db';
import { httpServerOptions } from '@codase/runtime/http';
import { startService, type ServiceContext, type RunningService, type ServiceParts } from '@codase/runtime/service';
import { DataSource } from 'typeorm';
import { CHANNELS, namesOf, SETTINGS, type Config, type Settings } from './config.ts';
import { FeedConsumerModule } from './feed-consumer.module.ts';
import { LeaseEntity, ReplicaEntity, ShardLeases } from '@codase/runtime/resilience/leases';
import { METRICS } from './metrics.ts';
import { FEED_CONSUMER_MIGRATIONS } from './migrations/index.ts';
import { requireBatches } from './publish/require-batches.ts';
import { SHARD_LEASES } from './publish/relay.worker.ts';
import { FeedHealth } from './pull/feed-health.service.ts';
import { PULL_LEASES } from './pull/pull.worker.ts';
import { keptMs } from './webhooks/delivery-retention.ts';
import { ChannelEntity } from './pull/channel.entity.ts';
import { KnownPersonEntity } from './reconcile/known-person.entity.ts';
import { EventEntity, WaitingEntity } from './spool/event.entity.ts';

export { Config } from './config.ts';
export { FEED_CONSUMER_MIGRATIONS } from './migrations/index.ts';
export { migrateFeedConsumer, prepareFeed } from './operator/prepare.service.ts';

/** The tables of the database. */
export const FEED_CONSUMER_ENTITIES = [ChannelEntity, KnownPersonEntity, EventEntity, WaitingEntity, LeaseEntity, ReplicaEntity];

/** Longer than the ten seconds that the platform gives a delivery. */
const TIMEOUTS = { requestMs: 15_000, idleMs: 0 };

/** Takes the services' events from the platform, by drain or by webhook, stores them, and publishes them on the bus. */
export const start = (config: Config, options: { clock?: Clock } = {}): Promise<RunningService> =>
  startService({ name: 'feed-consumer', config, ...options, build: (context) => build(config, context) });

async function build(config: Config, { bus, clock, log, waitFor }: ServiceContext): Promise<ServiceParts> {
  const listen = listenAt(config);
  requireBatches(new Publisher(bus), config);
  const db = await configuredDatabase(config, 'feed-consumer', FEED_CONSUMER_ENTITIES);
  await waitFor('schema', schemaIsCurrent(db, FEED_CONSUMER_MIGRATIONS));
  const health = new FeedHealth(clock);
  const owner = config.REPLICA ?? randomUUID();
  const leases = (kind: 'pull' | 'shard', names: readonly string[]) =>
    new ShardLeases(db, log, { kind, names, owner, seconds: config.LEASE_SECONDS });
  const settings: Settings = { idleMs: config.IDLE_SECONDS * 1000, keptMs: keptMs(config), spoolBytes: config.SPOOL_MAX_BYTES };
  return {
    module: FeedConsumerModule,
    metrics: METRICS,
    labels: { 'codase.service': Object.keys(config.CHANNELS) },
    providers: [
      { provide: DataSource, useValue: db },
      { provide: CHANNELS, useValue: config.CHANNELS },
      { provide: SETTINGS, useValue: settings },
      { provide: FeedHealth, useValue: health },
      { provide: PULL_LEASES, useValue: leases('pull', namesOf(config.CHANNELS, 'pull')) },
      { provide: SHARD_LEASES, useValue: leases('shard', PARTITIONS) },
    ],
    ...(listen && { listen }),
    checks: { postgres: databaseAnswers(db, log), feed: () => health.note() },
    close: () => db.destroy(),
  };
}

/** Returns the address at which webhooks deliver, or undefined without a webhook channel: then nothing listens. */
function listenAt(config: Config): ServiceParts['listen'] {
  const { CHANNELS: channels, HOST, PORT } = config;
  if (namesOf(channels, 'webhook').length === 0) return undefined;
  if (PORT === undefined) throw new ConfigFault(['PORT: not set; a webhook channel needs a port that its deliveries come to']);
  return { host: HOST, port: PORT, ...httpServerOptions(config, TIMEOUTS) };
}
