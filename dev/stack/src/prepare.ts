import type { Provision } from '@codase/platform';
import { Bus } from '@codase/runtime/bus';
import { retry } from '@codase/runtime/resilience';
import { RUNTIME_METRICS, silentLog } from '@codase/runtime/telemetry';
import type { DatabaseUrls } from '@codase/servers/databases';
import type { BusAddress } from './bus-address.ts';
import { roleIn, type StackDatabases } from './databases.ts';
import { DATABASES, REGIONS, type RegionName } from './layout.ts';
import { PEPPER_FILE } from './keys.ts';
import { schemaKindOf, schemaOf } from './schemas.ts';
import { randomKey, type Secrets } from './secrets.ts';

/** The apps are imported on first use, so that a command beside a running stack does not wait for them. */
const platform = () => import('@codase/platform');
const feedConsumer = () => import('@codase/feed-consumer');
const twofa = () => import('@codase/twofa');
const flows = () => import('@codase/flows');

export interface Planes {
  databases: StackDatabases;
  nats: BusAddress;
  secrets: Secrets;
}

/** The parts of the stack that users are added to. */
interface ProvisionedPlanes extends Omit<Planes, 'databases' | 'nats'> {
  databases: Pick<StackDatabases, 'front_door' | `region_${RegionName}`>;
  nats?: BusAddress;
}

/** Migrates every database to the newest schema. Returns the migrations that ran. */
export async function migrateStack({ databases }: Pick<Planes, 'databases'>): Promise<string[]> {
  const ran: string[] = [];
  for (const name of DATABASES) {
    const schema = await schemaOf(schemaKindOf(name));
    const urls: DatabaseUrls & Partial<DatabaseUrls<'delivery'>> = databases[name];
    ran.push(...(await schema.migrate({ url: urls.owner }, urls.delivery === undefined ? undefined : roleIn(urls.delivery))));
  }
  return ran;
}

/** Creates the streams and buckets of both planes, each on this many nodes. */
export async function prepareBuses(planes: Planes, replicas = 1): Promise<void> {
  const [{ prepareBus }, { prepareFeed }, { prepareChallenges }, { prepareTurns }] = await Promise.all([
    platform(),
    feedConsumer(),
    twofa(),
    flows(),
  ]);
  await asOperator(planes, 'platform', (bus) => prepareBus(bus, { replicas }));
  await asOperator(planes, 'suite', async (bus) => {
    await prepareFeed(bus, { replicas });
    await prepareChallenges(bus, { replicas });
    await prepareTurns(bus, { replicas });
  });
}

const LEADER_MS = 60_000;

/** Waits until JetStream answers: the nodes of a cluster first elect a leader, and no stream can be created before. */
export const jetStreamAnswers = (planes: Planes): Promise<void> =>
  asOperator(planes, 'platform', async (bus) => {
    const options = { backoff: { firstMs: 100, longestMs: 1000 }, bound: { withinMs: LEADER_MS }, metric: RUNTIME_METRICS.connectRetried };
    await retry(() => bus.manager(), { ...options, isWorth: () => true });
  });

/** Adds companies and persons, except existing ones. Without a bus, their clients are published when the front door starts. */
export async function provisionStack(
  { databases, secrets, nats }: ProvisionedPlanes,
  provisions: readonly Provision[],
  now = new Date(),
): Promise<void> {
  const [{ FRONT_DOOR_ENTITIES, KeyListVariable, provision, REGION_ENTITIES }, { openDatabase }] = await Promise.all([
    platform(),
    import('@codase/runtime/db'),
  ]);
  const open = (url: string, entities: typeof REGION_ENTITIES) => openDatabase({ url, name: 'provision', pool: 1, entities });
  const frontDoor = await open(databases.front_door.app, FRONT_DOOR_ENTITIES);
  const regions = await Promise.all(
    REGIONS.map(async (region) => [region, await open(databases[`region_${region}`].app, REGION_ENTITIES)] as const),
  );
  const peppers = { current: KeyListVariable.parse(secrets.get(PEPPER_FILE, randomKey)) };
  const provisionAll = async (bus?: Bus) => {
    for (const entry of provisions) await provision({ frontDoor, regions: new Map(regions), bus, peppers }, entry, now);
  };
  try {
    await (nats ? asOperator({ nats }, 'platform', provisionAll) : provisionAll());
  } finally {
    await Promise.all([frontDoor, ...regions.map(([, db]) => db)].map((db) => db.destroy()));
  }
}

async function asOperator<T>({ nats }: Pick<Planes, 'nats'>, plane: 'platform' | 'suite', work: (bus: Bus) => Promise<T>): Promise<T> {
  const user = `${plane}-operator`;
  const bus = await Bus.connect({ url: nats.url, ...nats.credentials(user), name: user, log: silentLog });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}
