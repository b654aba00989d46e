import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSigningKey, signToken, VerifiedTokens } from '@cds/platform';
import { createDatabase, findNatsServer, startNats, startPostgres, type DatabaseUrls } from '@cds/testing/infra';
import {
  busAccounts, busPassword, clientSecret, DATABASES, DEMO, demo, describeUnits, migrateStack, portsFrom, prepareBuses, provisionStack, Secrets, type DatabaseName,
} from '@cds/testing/stack';
import { bench, type Contender } from './harness/bench.ts';
import { HttpLoad } from './harness/http-load.ts';
import { repeat } from './harness/repeat.ts';
import { ServerProcess } from './harness/server-process.ts';

const CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache/nats');
const PORTS = portsFrom(14_600);
const PEER_PORT = 14_699;
const CONNECTIONS = 8;
const WARM_UP_SECONDS = 4;
/** As long as what is signed in a token. */
const TOKEN_BYTES = 420;

/** A server and what is sent to it. */
interface Measured {
  server: ServerProcess;
  load: HttpLoad;
}

async function setup() {
  const secrets = new Secrets();
  const postgres = await startPostgres({ durable: false, password: randomBytes(16).toString('hex') });
  const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), { durable: false, config: busAccounts(secrets, []) });
  const client = { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ours = await startFrontDoor(secrets, await databasesIn(postgres.url), nats.url);
  const peer = await startPeer(client, privateKey);
  return {
    postgres, nats, privateKey, ...(await verifying(privateKey)),
    ours: await warm(ours, loadOn(PORTS.serving['front-door'], '/oauth2/token', client)),
    peer: await warm(peer, loadOn(PEER_PORT, '/token', client)),
  };
}

/** A server that serves for days is judged by what it costs when it is warm. */
async function warm(server: ServerProcess, load: HttpLoad): Promise<Measured> {
  await load.run(WARM_UP_SECONDS);
  return { server, load };
}

type State = Awaited<ReturnType<typeof setup>>;

async function databasesIn(adminUrl: string): Promise<Record<DatabaseName, DatabaseUrls>> {
  const made = new Map<DatabaseName, DatabaseUrls>();
  for (const name of DATABASES) made.set(name, await createDatabase(adminUrl, { name, ownerPassword: 'bench', appPassword: 'bench' }));
  return Object.fromEntries(made) as Record<DatabaseName, DatabaseUrls>;
}

/** The real role in a process of its own, with a limit that is out of the way. */
async function startFrontDoor(secrets: Secrets, databases: Record<DatabaseName, DatabaseUrls>, natsUrl: string): Promise<ServerProcess> {
  const planes = { secrets, databases, nats: { url: natsUrl, credentials: (user: string) => ({ user, password: busPassword(secrets, user) }) } };
  await migrateStack(planes);
  await prepareBuses(planes);
  await provisionStack(planes, await demo(secrets));
  const limits = { token: { burst: 1e9, per_second: 1e9 } };
  const { entry, env } = describeUnits({ ...planes, ports: PORTS, services: {}, limits }).find(({ name }) => name === 'front-door')!;
  return ServerProcess.start(entry, env);
}

function startPeer({ client_id, client_secret }: { client_id: string; client_secret: string }, privateKey: KeyObject): Promise<ServerProcess> {
  const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const entry = fileURLToPath(new URL('token-peer.js', import.meta.url));
  return ServerProcess.start(entry, { PORT: String(PEER_PORT), CLIENT_ID: client_id, CLIENT_SECRET: client_secret, SIGNING_KEY });
}

const loadOn = (port: number, path: string, client: Record<string, string>) =>
  new HttpLoad(`http://127.0.0.1:${port}`, {
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: String(new URLSearchParams({ grant_type: 'client_credentials', ...client })),
    connections: CONNECTIONS,
  });

async function verifying(privateKey: KeyObject) {
  const key = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const token = await signToken(key, new Date(), { iss: 'http://127.0.0.1', sub: 'svc_1', client_id: 'svc_1', gen: 1, jti: 'j1' });
  return { token, tokens: new VerifiedTokens(key) };
}

const unsigned = randomBytes(TOKEN_BYTES);

/** The CPU is that of the server alone. */
const tokensOf =
  (of: (state: State) => Measured): Contender<State> =>
  async ({ state, seconds }) => {
    const { server, load } = of(state);
    const before = server.cpuMicroseconds;
    const operations = await load.run(seconds);
    return { operations, figures: { cpu_us: (server.cpuMicroseconds - before) / operations } };
  };

/** Each server in a process of its own, asked over connections that stay open by a client that costs little. */
export default bench({
  name: 'token',
  what: 'client_credentials tokens of the front door, against a bare ES256 signature and against oidc-provider; and checking a token that is known',
  unit: 'tokens/s',
  setup,
  teardown: async ({ ours, peer, nats, postgres }) => {
    for (const { server, load } of [ours, peer]) {
      await load.close();
      await server.stop();
    }
    await nats.stop();
    await postgres.stop();
  },
  contenders: {
    floor: repeat(({ privateKey }: State) => sign('sha256', unsigned, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
    ours: tokensOf(({ ours }) => ours),
    'oidc-provider': tokensOf(({ peer }) => peer),
    'known token': repeat(({ tokens, token }: State) => tokens.claimsOf(token, new Date())),
  },
  bar: [
    { name: 'CPU of a token over a bare signature', figure: 'cpu_us', of: 'ours', over: 'floor', atMost: 8 },
    { name: 'tokens over oidc-provider', of: 'ours', over: 'oidc-provider', atLeast: 2 },
    { name: 'CPU to check a known token, µs', figure: 'cpu_us', of: 'known token', atMost: 10 },
  ],
});
