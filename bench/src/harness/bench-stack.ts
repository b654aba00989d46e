import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNatsServer, startNats, startPostgres, type Nats, type Postgres } from '@codase/servers';
import {
  busAccounts,
  busPassword,
  createStackDatabases,
  demo,
  describeUnits,
  migrateStack,
  portsFrom,
  prepareBuses,
  provisionStack,
  Secrets,
  type Planes,
  type StackDatabases,
  type StackSettings,
  type UnitName,
} from '@codase/stack';
import { ServerProcess, type ServerOptions } from './server-process.ts';

const CACHE = join(fileURLToPath(new URL('../../..', import.meta.url)), '.cache');

/** The settings that `deploy/postgres` gives its servers. `npm start` uses less, since it runs on laptops. */
export const DEPLOYED = ['shared_buffers=1GB', 'max_wal_size=4GB'];

interface BenchStackOptions extends Pick<StackSettings, 'limits'> {
  /** Whether Postgres and NATS write to the disk before they answer, as in production. */
  durable: boolean;
  /** The first of the ports that the stack takes. */
  port: number;
  /** The credentials that the gateway holds, made once there are secrets. */
  services?(secrets: Secrets): StackSettings['services'];
  consumers?: Parameters<typeof busAccounts>[1];
  /** Whether the platform has its own Postgres, so that its CPU is not counted with the company's. */
  platformApart?: true;
}

/** The default stack on its own servers. A bench starts the processes that it needs. */
export class BenchStack {
  private readonly started: ServerProcess[] = [];

  private constructor(
    /** The Postgres of the company, or of both planes. */
    readonly postgres: Postgres,
    /** The Postgres of the platform, when it has its own. */
    readonly platformPostgres: Postgres | undefined,
    readonly nats: Nats,
    readonly settings: StackSettings,
  ) {}

  static async open({ durable, port, services, consumers = [], limits, platformApart }: BenchStackOptions): Promise<BenchStack> {
    const secrets = new Secrets();
    const server = () => startPostgres({ durable, password: randomBytes(16).toString('hex'), settings: durable ? DEPLOYED : [] });
    const [postgres, apart] = [await server(), platformApart && (await server())];
    const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), { durable, config: busAccounts(secrets, consumers) });
    const planes: Planes = {
      secrets,
      databases: await createDatabases(postgres, apart),
      nats: { url: nats.url, credentials: (user) => ({ user, password: busPassword(secrets, user) }) },
    };
    await migrateStack(planes);
    await prepareBuses(planes);
    await provisionStack(planes, await demo(secrets));
    return new BenchStack(postgres, apart, nats, {
      ...planes,
      ports: portsFrom(port),
      services: services?.(secrets) ?? {},
      ...(limits && { limits }),
    });
  }

  /** Starts a process of the stack and waits until it is ready. Its settings may differ. It is traced when a receiver of spans is set. */
  async start(name: UnitName, on: ServerOptions = {}, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const { entry, env, imports } = describeUnits(this.settings).find((unit) => unit.name === name)!;
    return this.startOther(entry, { ...env, ...settings }, { ...on, ...(this.settings.traces && { imports }) });
  }

  async startOther(entry: string, env: Readonly<Record<string, string>>, on: ServerOptions = {}): Promise<ServerProcess> {
    const started = await ServerProcess.start(entry, env, on);
    this.started.push(started);
    return started;
  }

  async stop(process: ServerProcess): Promise<void> {
    this.started.splice(this.started.indexOf(process), 1);
    await process.stop();
  }

  async close(): Promise<void> {
    for (const process of this.started.toReversed()) await process.stop();
    this.settings.secrets.unmount();
    await this.nats.stop();
    await this.postgres.stop();
    await this.platformPostgres?.stop();
  }
}

/** Creates all databases, those of the platform on the second server when there is one. */
async function createDatabases(postgres: Postgres, apart: Postgres | undefined): Promise<StackDatabases> {
  const all = await createStackDatabases(postgres.url, () => 'bench');
  if (!apart) return all;
  const { front_door, region_eu, region_us } = await createStackDatabases(apart.url, () => 'bench');
  return { ...all, front_door, region_eu, region_us };
}
