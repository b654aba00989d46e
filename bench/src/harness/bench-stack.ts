import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNatsServer, startNats, startPostgres, type Nats, type Postgres } from '@cds/servers';
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
  type StackSettings,
  type UnitName,
} from '@cds/stack';
import { ServerProcess, type ServerOptions } from './server-process.ts';

const CACHE = join(fileURLToPath(new URL('../../..', import.meta.url)), '.cache');

/** What `deploy/postgres` gives its servers, and `npm start` does not: on a laptop it has less. */
export const DEPLOYED = ['shared_buffers=1GB', 'max_wal_size=4GB'];

export interface BenchStackOptions extends Pick<StackSettings, 'limits'> {
  /** Whether Postgres and NATS write to the disk before they answer, as in production. */
  durable: boolean;
  /** The first of the ports it takes. */
  port: number;
  /** What the gateway holds, once there are secrets. */
  services?(secrets: Secrets): StackSettings['services'];
  consumers?: Parameters<typeof busAccounts>[1];
}

/** The default stack on servers of its own, of which a bench starts the processes it needs. */
export class BenchStack {
  private readonly started: ServerProcess[] = [];

  private constructor(
    readonly postgres: Postgres,
    readonly nats: Nats,
    readonly settings: StackSettings,
  ) {}

  static async open({ durable, port, services, consumers = [], limits }: BenchStackOptions): Promise<BenchStack> {
    const secrets = new Secrets();
    const postgres = await startPostgres({ durable, password: randomBytes(16).toString('hex'), settings: durable ? DEPLOYED : [] });
    const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), { durable, config: busAccounts(secrets, consumers) });
    const planes: Planes = {
      secrets,
      databases: await createStackDatabases(postgres.url, () => 'bench'),
      nats: { url: nats.url, credentials: (user) => ({ user, password: busPassword(secrets, user) }) },
    };
    await migrateStack(planes);
    await prepareBuses(planes);
    await provisionStack(planes, await demo(secrets));
    return new BenchStack(postgres, nats, {
      ...planes,
      ports: portsFrom(port),
      services: services?.(secrets) ?? {},
      ...(limits && { limits }),
    });
  }

  /** A process of the stack, which has said that it is ready; its settings may differ. It is traced where somebody wants the spans. */
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
  }
}
