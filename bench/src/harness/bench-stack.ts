import { randomUUID } from 'node:crypto';
import { readSigningKey, signToken } from '@codase/platform';
import { Bus } from '@codase/runtime/bus';
import { silentLog } from '@codase/runtime/telemetry';
import type { Nats, Postgres } from '@codase/servers';
import {
  busAccounts,
  busPassword,
  clientSecret,
  createStackDatabases,
  DEMO,
  demo,
  describeUnits,
  frontDoorUrl,
  migrateStack,
  portsFrom,
  prepareBuses,
  provisionStack,
  Secrets,
  signingKeyFile,
  type Planes,
  type StackDatabases,
  type StackSettings,
  type UnitName,
} from '@codase/stack';
import { startBenchNats } from './bench-bus.ts';
import { benchPostgres, DEPLOYED } from './database.ts';
import { ServerProcess, type ServerOptions } from './server-process.ts';

/** A limit so high that it never applies. */
export const PLENTY = { burst: 1e9, per_second: 1e9 };

interface BenchStackOptions {
  /** Whether Postgres and NATS write to the disk before they answer, as in production. */
  durable: boolean;
  port: number;
  /** The services that the gateway has a client for and that the company's own service reads, and its groups of handlers. */
  consumer?: { services: readonly string[]; groups: readonly string[] };
  /** The platform's rate limits, which never apply when left out. */
  limits?: StackSettings['limits'];
  /** Whether the platform has its own Postgres, so that its CPU is not counted with the company's. */
  platformApart?: boolean;
}

const shopClientOf = (secrets: Secrets) => ({ client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) });

/** The default stack on its own servers. A bench starts the processes that it needs. */
export class BenchStack {
  private readonly started: ServerProcess[] = [];

  private constructor(
    readonly postgres: Postgres,
    /** The Postgres of the platform, when it has its own. */
    readonly platformPostgres: Postgres | undefined,
    readonly nats: Nats,
    readonly settings: StackSettings,
  ) {}

  static async open({ durable, port, consumer, limits, platformApart }: BenchStackOptions): Promise<BenchStack> {
    const secrets = new Secrets();
    const server = () => benchPostgres({ durable, settings: durable ? DEPLOYED : [] });
    const [postgres, apart] = [await server(), platformApart ? await server() : undefined];
    const consumers = consumer ? [{ user: DEMO.consumer, ...consumer }] : [];
    const nats = await startBenchNats({ durable, config: busAccounts(secrets, consumers) });
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
      services: Object.fromEntries((consumer?.services ?? []).map((service) => [service, shopClientOf(secrets)])),
      limits: limits ?? { token: PLENTY, data: PLENTY, changes: PLENTY },
    });
  }

  get shopClient(): { client_id: string; client_secret: string } {
    return shopClientOf(this.settings.secrets);
  }

  get shopPublicKey(): string {
    return this.settings.secrets.known(`keys/${DEMO.keys.shop}.public`);
  }

  /** Makes an access token as the front door does. */
  async mint(client_id: string, sub: string): Promise<string> {
    const key = readSigningKey(this.settings.secrets.known(signingKeyFile('front-door')));
    return signToken(key, new Date(), { iss: frontDoorUrl(this.settings.ports), sub, client_id, gen: 1, jti: randomUUID() });
  }

  bus(user: string): Promise<Bus> {
    const { url, credentials } = this.settings.nats;
    return Bus.connect({ url, ...credentials(user), name: 'bench', log: silentLog });
  }

  /** Starts a process of the stack and waits until it is ready. Its settings may differ. It is traced when a receiver of spans is set. */
  async start(name: UnitName, on: ServerOptions = {}, settings: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
    const { entry, env, imports } = describeUnits(this.settings).find((unit) => unit.name === name)!;
    return this.startOther(entry, { ...env, ...settings }, { ...on, ...(this.settings.traces && { imports }) });
  }

  async startOther(entry: string | URL, env: Readonly<Record<string, string>>, on: ServerOptions = {}): Promise<ServerProcess> {
    const started = await ServerProcess.start(entry, env, on);
    this.started.push(started);
    return started;
  }

  startConsumer(entry: URL, env: Readonly<Record<string, string>>): Promise<ServerProcess> {
    const { user = '', password = '' } = this.settings.nats.credentials(DEMO.consumer);
    return this.startOther(entry, { NATS_URL: this.settings.nats.url, NATS_USER: user, NATS_PASSWORD: password, ...env });
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

async function createDatabases(postgres: Postgres, apart: Postgres | undefined): Promise<StackDatabases> {
  const all = await createStackDatabases(postgres.url, () => 'bench');
  if (!apart) return all;
  const { front_door, region_eu, region_us } = await createStackDatabases(apart.url, () => 'bench');
  return { ...all, front_door, region_eu, region_us };
}
