import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { onlyKey, readSigningKey, signToken, VerifiedTokens } from '@codase/platform';
import { frontDoorUrl } from '@codase/stack';
import { BenchStack } from './harness/bench-stack.ts';
import { bench, type Contender } from './harness/bench.ts';
import { HttpLoad } from './harness/http-load.ts';
import { repeat } from './harness/repeat.ts';
import { ServerProcess } from './harness/server-process.ts';

const PORT = 14_600;
const PEER_PORT = 14_699;
/** The number of connections: enough that the front door is never idle, since it has many clients. */
const CONNECTIONS = 24;
const WARM_UP_SECONDS = 4;
/** The size of the signed part of a token. */
const TOKEN_BYTES = 420;

interface Measured {
  server: ServerProcess;
  load: HttpLoad;
}

async function setup() {
  const stack = await BenchStack.open({ durable: false, port: PORT });
  const client = stack.shopClient;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const peer = await startPeer(client, privateKey);
  return {
    stack,
    privateKey,
    ...(await verifying(privateKey)),
    ours: await warm(await stack.start('front-door'), loadOn(`${frontDoorUrl(stack.settings.ports)}/oauth2/token`, client)),
    peer: await warm(peer, loadOn(`http://127.0.0.1:${PEER_PORT}/token`, client)),
  };
}

/** Warms a server up. A server runs for days, so its warm cost is judged. */
async function warm(server: ServerProcess, load: HttpLoad): Promise<Measured> {
  await load.run(WARM_UP_SECONDS);
  return { server, load };
}

type State = Awaited<ReturnType<typeof setup>>;

function startPeer({ client_id, client_secret }: BenchStack['shopClient'], privateKey: KeyObject): Promise<ServerProcess> {
  const SIGNING_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return ServerProcess.start(new URL('token-peer.js', import.meta.url), {
    PORT: String(PEER_PORT),
    CLIENT_ID: client_id,
    CLIENT_SECRET: client_secret,
    SIGNING_KEY,
  });
}

function loadOn(url: string, client: Record<string, string>): HttpLoad {
  const { origin, pathname } = new URL(url);
  return new HttpLoad(origin, {
    path: pathname,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: String(new URLSearchParams({ grant_type: 'client_credentials', ...client })),
    connections: CONNECTIONS,
  });
}

async function verifying(privateKey: KeyObject) {
  const key = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
  const token = await signToken(key, new Date(), { iss: 'http://127.0.0.1', sub: 'svc_1', client_id: 'svc_1', gen: 1, jti: 'j1' });
  return { token, tokens: new VerifiedTokens(onlyKey(key)) };
}

const unsigned = randomBytes(TOKEN_BYTES);

const tokensOf =
  (of: (state: State) => Measured): Contender<State> =>
  async ({ state, seconds }) => {
    const { server, load } = of(state);
    const before = server.cpuMicroseconds;
    const operations = await load.run(seconds);
    return { operations, figures: { cpu_us: (server.cpuMicroseconds - before) / operations } };
  };

/** Measures each server in its own process, called over persistent connections by a client that costs little. */
export default bench({
  name: 'token',
  what:
    'client_credentials tokens of the front door, against a bare ES256 signature and against oidc-provider; and checking a token ' +
    'that is known',
  unit: 'tokens/s',
  seconds: 24,
  setup,
  teardown: async ({ stack, ours, peer }) => {
    await Promise.all([ours.load.close(), peer.load.close()]);
    await peer.server.stop();
    await stack.close();
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
