import type { Provision } from '@cds/platform';
import { Bus } from '@cds/runtime/bus';
import { retry } from '@cds/runtime/resilience';
import { RUNTIME_METRICS, silentLog } from '@cds/runtime/telemetry';
import type { BusAddress } from './bus-address.ts';
import { roleIn, type StackDatabases } from './databases.ts';
import { REGIONS } from './layout.ts';
import { PEPPER_FILE } from './keys.ts';
import { randomKey, type Secrets } from './secrets.ts';

/** The apps are loaded where they have something to do: a command beside a running stack is not to wait for them. */
const platform = () => import('@cds/platform');
const feedConsumer = () => import('@cds/feed-consumer');
const twofa = () => import('@cds/twofa');

export interface Planes {
  databases: StackDatabases;
  nats: BusAddress;
  secrets: Secrets;
}

/** Brings every database to the newest shape. Flows has no tables of its own yet. */
export async function migrateStack({ databases }: Pick<Planes, 'databases'>): Promise<string[]> {
  const [{ migratePlatform }, { migrateFeedConsumer }, { migrateTwofa }] = await Promise.all([platform(), feedConsumer(), twofa()]);
  const regions = REGIONS.map((region) => databases[`region_${region}`]).map(({ owner: url, delivery }) => ({
    url,
    deliveryRole: roleIn(delivery),
  }));
  const ofPlatform = await migratePlatform({ frontDoor: { url: databases.front_door.owner }, regions });
  const ofFeedConsumer = await migrateFeedConsumer({ url: databases.feed_consumer.owner });
  return [...ofPlatform, ...ofFeedConsumer, ...(await migrateTwofa({ url: databases.twofa.owner }))];
}

/** Creates the streams and buckets of both planes, each on so many nodes. */
export async function prepareBuses(planes: Planes, replicas = 1): Promise<void> {
  const [{ prepareBus }, { prepareFeed }, { prepareChallenges }] = await Promise.all([platform(), feedConsumer(), twofa()]);
  await asOperator(planes, 'platform', (bus) => prepareBus(bus, { replicas }));
  await asOperator(planes, 'suite', async (bus) => {
    await prepareFeed(bus, { replicas });
    await prepareChallenges(bus, { replicas });
  });
}

const LEADER_MS = 60_000;

/** Nodes of a cluster first choose who leads them; before that no stream can be made. */
export const jetStreamAnswers = (planes: Planes): Promise<void> =>
  asOperator(planes, 'platform', async (bus) => {
    const options = { backoff: { firstMs: 100, longestMs: 1000 }, bound: { withinMs: LEADER_MS }, metric: RUNTIME_METRICS.connectRetried };
    await retry(() => bus.manager(), { ...options, isWorth: () => true });
  });

/** Adds companies and persons, leaving those that stand. */
export async function provisionStack(planes: Planes, provisions: readonly Provision[], now = new Date()): Promise<void> {
  const { databases, secrets } = planes;
  const [{ KeyListVariable, provision }, { openDatabase }] = await Promise.all([platform(), import('@cds/runtime/db')]);
  const frontDoor = await openDatabase({ url: databases.front_door.app, name: 'provision', pool: 1 });
  const regions = await Promise.all(
    REGIONS.map(
      async (region) => [region, await openDatabase({ url: databases[`region_${region}`].app, name: 'provision', pool: 1 })] as const,
    ),
  );
  const peppers = { current: KeyListVariable.parse(secrets.get(PEPPER_FILE, randomKey)) };
  try {
    await asOperator(planes, 'platform', async (bus) => {
      for (const entry of provisions) await provision({ frontDoor, regions: new Map(regions), bus, peppers }, entry, now);
    });
  } finally {
    await Promise.all([frontDoor, ...regions.map(([, db]) => db)].map((db) => db.destroy()));
  }
}

async function asOperator<T>({ nats }: Planes, plane: 'platform' | 'suite', work: (bus: Bus) => Promise<T>): Promise<T> {
  const user = `${plane}-operator`;
  const bus = await Bus.connect({ url: nats.url, ...nats.credentials(user), name: user, log: silentLog });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}
