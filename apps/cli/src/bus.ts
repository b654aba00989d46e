import { Bus, serversIn, type BusTls } from '@codase/runtime/bus';
import { natsUrl, pem, readConfig, tlsHandshake } from '@codase/runtime/config';
import { silentLog } from '@codase/runtime/telemetry';
import { z } from 'zod';
import { Fault, messageOf } from '@codase/command-line';

export interface Login {
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  tls?: BusTls;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Short, because a person waits at the terminal. */
const CONNECT_SECONDS = 1;

/** Whether the environment names a bus, which is then used in place of the one of npm start. */
export const namesBus = (env: Env): boolean => Boolean(env['NATS_URL'] || env['NATS_URL_FILE']);

/** Reads from the environment the bus and the user on it. A user in a URL takes precedence: the first one, if there are several. */
export function loginFrom(env: Env, user: string): Login {
  const schema = z.object({
    NATS_URL: natsUrl,
    NATS_USER: z.string().min(1).default(user),
    NATS_PASSWORD: z.string().min(1).optional(),
    NATS_CA: pem,
    NATS_CERT: pem,
    NATS_KEY: pem,
    NATS_TLS_HANDSHAKE: tlsHandshake,
  });
  const given = readConfig(schema, env);
  const servers = serversIn(given.NATS_URL).map((url) => new URL(url));
  const { username, password } = servers.find((server) => server.username || server.password) ?? servers[0]!;
  return {
    url: servers.map(({ protocol, host }) => `${protocol}//${host}`).join(','),
    user: decodeURIComponent(username) || given.NATS_USER,
    password: decodeURIComponent(password) || given.NATS_PASSWORD,
    tls: { ca: given.NATS_CA, cert: given.NATS_CERT, key: given.NATS_KEY, handshake: given.NATS_TLS_HANDSHAKE },
  };
}

/** Returns the gateway's HTTP server that the environment names, or undefined when it names none. */
export function gatewayFrom(env: Env): { url: string; token: string } | undefined {
  const schema = z.object({ GATEWAY_URL: z.url().optional(), GATEWAY_TOKEN: z.string().min(1).optional() });
  const { GATEWAY_URL: url, GATEWAY_TOKEN: token } = readConfig(schema, env);
  if ((url === undefined) !== (token === undefined)) throw new Fault('GATEWAY_URL and GATEWAY_TOKEN go together: give both, or neither.');
  return url !== undefined && token !== undefined ? { url, token } : undefined;
}

/** Connects to a bus, does the work, and closes the connection. */
export async function withBus<T>(login: Login, work: (bus: Bus) => Promise<T>): Promise<T> {
  const options = { ...login, name: login.user ?? 'codase', log: silentLog, connectSeconds: CONNECT_SECONDS };
  const bus = await Bus.connect(options).catch((cause: unknown) => {
    throw new Fault(`${messageOf(cause)}.`, { cause });
  });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}
