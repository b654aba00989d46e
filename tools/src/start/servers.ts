import { busAccounts, DEMO, externalBus, natsNodePorts, ownBus, type Planes, type Ports, type Secrets } from '@codase/stack';
import { join } from 'node:path';
import { ROOT } from '../command/root.ts';
import { Fault, messageOf } from '@codase/command-line';
import type { NatsConfig, NatsServer } from '@codase/servers';
import type { Options } from './options.ts';
import type { Stack } from './stack.ts';

/** Postgres and NATS: how to start them, and how to reach them then. */
interface Servers {
  start: Stack['servers'];
  /** The URL of a role that may create databases and roles. */
  adminUrl: string;
  nats: Planes['nats'];
}

const ANSWER_TIME = 5000;

/** Loads the code that starts servers only when a server is started: commands beside a running stack only need addresses. */
const infra = () => import('@codase/servers');

/** Servers that `npm start` runs, and whose data is kept for the next start. */
export function ownServers(options: Options, ports: Ports, secrets: Secrets): Servers {
  const password = secrets.password('postgres/admin');
  const accounts = busAccounts(secrets, [{ user: DEMO.consumer, services: [DEMO.service], groups: DEMO.groups }]);
  return {
    adminUrl: `postgres://postgres:${encodeURIComponent(password)}@127.0.0.1:${ports.postgres}/postgres`,
    nats: ownBus(ports, secrets, options.scale.nats),
    start: [
      {
        name: 'postgres',
        start: async (progress) => {
          const dir = join(options.stateDir, 'postgres');
          const own = await (await infra()).startPostgres({ dir, port: ports.postgres, durable: true, password, progress });
          return { name: 'postgres', title: `postgres ${own.version}`, where: `127.0.0.1:${ports.postgres}`, own };
        },
      },
      ...natsNodes(options, ports, secrets, accounts),
    ],
  };
}

/** One server, or the nodes of a cluster. A single server and a cluster do not share streams, so their folders differ. */
function natsNodes({ stateDir, scale }: Options, ports: Ports, secrets: Secrets, config: NatsConfig): Stack['servers'] {
  const nodes = natsNodePorts(ports, scale.nats);
  const password = secrets.password('nats/cluster');
  // Nodes that look for the server program at the same time share one search: the first fetches the program.
  let found: Promise<NatsServer> | undefined;
  return nodes.map(({ clients: port, routes }, i) => {
    const name = nodes.length === 1 ? 'nats' : `nats-${i + 1}`;
    const others = nodes.filter((_, j) => j !== i).map((node) => node.routes);
    return {
      name,
      start: async (progress) => {
        const { clusterOf, downloadsFolder, findNatsServer, startNats } = await infra();
        const server = await (found ??= findNatsServer({ cacheDir: join(downloadsFolder(ROOT), 'nats'), progress }));
        const node = nodes.length === 1 ? {} : { name, config: { ...config, cluster: clusterOf(routes, others, password) } };
        const own = await startNats(server, { dir: join(stateDir, name), port, durable: true, config, ...node });
        return { name, title: `${name} ${own.version}`, where: `127.0.0.1:${port}`, own };
      },
    };
  });
}

export function externalServers({ databaseUrl, natsUrl }: NonNullable<Options['external']>): Servers {
  const url = new URL(natsUrl);
  const nats = externalBus(natsUrl);
  return {
    adminUrl: databaseUrl,
    nats,
    start: [
      found('postgres', new URL(databaseUrl).host, () => postgresVersion(databaseUrl)),
      found('nats', url.host, () => natsVersion(nats)),
    ],
  };
}

const found = (name: string, where: string, version: () => Promise<string>) => ({
  name,
  start: async () => ({ name, title: `${name} ${await version()}`, where }),
});

async function postgresVersion(url: string): Promise<string> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: ANSWER_TIME });
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]!.server_version;
  } catch (error) {
    throw cannotUse('The Postgres of DATABASE_URL', 'start it', error);
  } finally {
    await client.end();
  }
}

/** Connects as the services will: to an address with `tls:` nothing is sent in clear text. */
async function natsVersion({ url, credentials }: Planes['nats']): Promise<string> {
  try {
    const [{ Bus }, { silentLog }] = await Promise.all([import('@codase/runtime/bus'), import('@codase/runtime/telemetry')]);
    const bus = await Bus.connect({ url, ...credentials(''), name: 'npm start', log: silentLog, connectSeconds: 0 });
    const { version = '', jetstream = false } = bus.connection.info ?? {};
    await bus.close();
    if (!jetstream) throw new Error('its JetStream is off');
    return version;
  } catch (error) {
    throw cannotUse('The NATS of NATS_URL', 'start it with JetStream', error);
  }
}

const cannotUse = (what: string, mend: string, cause: unknown): Fault =>
  new Fault(`${what} cannot be used (${messageOf(cause)}): ${mend}, correct the URL, or unset DATABASE_URL and NATS_URL.`, { cause });
