import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { readSigningKey, ROLES, signToken, VerifiedTokens } from '@cds/platform';
import { createDatabase, findNatsServer, startNats, startPostgres, type DatabaseUrls } from '@cds/testing/infra';
import {
  busAccounts, busPassword, clientSecret, DATABASES, DEMO, demo, describeUnits, migrateStack, portsFrom, prepareBuses, provisionStack, Secrets, type DatabaseName,
} from '@cds/testing/stack';
import inject from 'light-my-request';
import { Provider } from 'oidc-provider';
import { bench } from './harness/bench.ts';
import { repeat, repeatAsync } from './harness/repeat.ts';

const CACHE = join(fileURLToPath(new URL('../..', import.meta.url)), '.cache/nats');
const BASE_PORT = 14_600;
const IN_FLIGHT = 8;
/** As long as what is signed in a token. */
const TOKEN_BYTES = 420;

async function setup() {
  process.env['LOG_LEVEL'] = 'silent';
  const secrets = new Secrets();
  const postgres = await startPostgres({ durable: false, password: randomBytes(16).toString('hex') });
  const nats = await startNats(await findNatsServer({ cacheDir: CACHE }), { durable: false, config: busAccounts(secrets, []) });
  const frontDoor = await startFrontDoor(secrets, await databasesIn(postgres.url), nats.url);
  const client = { client_id: DEMO.client_id, client_secret: clientSecret(secrets, DEMO.client_id) };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { postgres, nats, frontDoor, door: frontDoor.app as NestFastifyApplication, form: formOf(client), peer: peerWith(client, privateKey), privateKey, ...verifying(privateKey) };
}

type State = Awaited<ReturnType<typeof setup>>;

async function databasesIn(adminUrl: string): Promise<Record<DatabaseName, DatabaseUrls>> {
  const made = new Map<DatabaseName, DatabaseUrls>();
  for (const name of DATABASES) made.set(name, await createDatabase(adminUrl, { name, ownerPassword: 'bench', appPassword: 'bench' }));
  return Object.fromEntries(made) as Record<DatabaseName, DatabaseUrls>;
}

/** The real role, with a limit that is out of the way. */
async function startFrontDoor(secrets: Secrets, databases: Record<DatabaseName, DatabaseUrls>, natsUrl: string) {
  const planes = { secrets, databases, nats: { url: natsUrl, credentials: (user: string) => ({ user, password: busPassword(secrets, user) }) } };
  await migrateStack(planes);
  await prepareBuses(planes);
  await provisionStack(planes, await demo(secrets));
  const limits = { token: { burst: 1e9, per_second: 1e9 } };
  const unit = describeUnits({ ...planes, ports: portsFrom(BASE_PORT), services: {}, limits }).find(({ name }) => name === 'front-door')!;
  return ROLES['front-door'].start(unit.env, '');
}

const formOf = (client: Record<string, string>) => ({
  method: 'POST' as const,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  payload: String(new URLSearchParams({ grant_type: 'client_credentials', ...client })),
});

/** The server many would take instead, giving tokens of the same kind: JWTs signed with ES256. */
function peerWith(client: Record<string, string>, privateKey: KeyObject) {
  const resource = 'https://api.example';
  const server = { scope: '', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 3600, jwt: { sign: { alg: 'ES256' } } };
  return new Provider('http://127.0.0.1', {
    clients: [{ ...client, token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'], response_types: [], redirect_uris: [], id_token_signed_response_alg: 'ES256' }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }] },
    cookies: { keys: ['bench'] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: { enabled: true, defaultResource: () => resource, getResourceServerInfo: () => server },
    },
  }).callback();
}

function verifying(privateKey: KeyObject) {
  const key = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const token = signToken(key, new Date(), { iss: 'http://127.0.0.1', sub: 'svc_1', client_id: 'svc_1', gen: 1, jti: 'j1' });
  return { token, tokens: new VerifiedTokens(key) };
}

async function mustBeToken(answer: Promise<{ statusCode: number; body: string }>): Promise<void> {
  const { statusCode, body } = await answer;
  if (statusCode !== 200) throw new Error(`The token endpoint answered ${statusCode}: ${body}`);
}

const unsigned = randomBytes(TOKEN_BYTES);

/** Requests are handed to the servers without a socket, so that it is their work that is measured. */
export default bench({
  name: 'token',
  what: 'client_credentials tokens of the front door, against a bare ES256 signature and against oidc-provider; and checking a token that is known',
  unit: 'tokens/s',
  setup,
  teardown: async ({ frontDoor, nats, postgres }) => {
    await frontDoor.close();
    await nats.stop();
    await postgres.stop();
  },
  contenders: {
    floor: repeat(({ privateKey }: State) => sign('sha256', unsigned, { key: privateKey, dsaEncoding: 'ieee-p1363' })),
    ours: repeatAsync(({ door, form }: State) => mustBeToken(door.inject({ url: '/oauth2/token', ...form })), { atOnce: IN_FLIGHT }),
    'oidc-provider': repeatAsync(({ peer, form }: State) => mustBeToken(inject(peer, { url: '/token', ...form })), { atOnce: IN_FLIGHT }),
    'known token': repeat(({ tokens, token }: State) => tokens.claimsOf(token, new Date())),
  },
  bar: [
    { name: 'CPU of a token over a bare signature', figure: 'cpu_us', of: 'ours', over: 'floor', atMost: 8 },
    { name: 'tokens over oidc-provider', of: 'ours', over: 'oidc-provider', atLeast: 2 },
    { name: 'CPU to check a known token, µs', figure: 'cpu_us', of: 'known token', atMost: 10 },
  ],
});
