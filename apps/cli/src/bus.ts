import { Bus, type BusTls } from '@cds/runtime/bus';
import { natsUrl, pem, readConfig, tlsHandshake } from '@cds/runtime/config';
import { silentLog } from '@cds/runtime/telemetry';
import { z } from 'zod';
import { Fault, messageOf } from '@cds/command-line';

/** How somebody comes onto a bus. */
export interface Login {
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  tls?: BusTls;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Somebody waits at the terminal. */
const CONNECT_SECONDS = 1;

/** Whether the environment names a bus, which then goes before the one of npm start. */
export const namesBus = (env: Env): boolean => Boolean(env['NATS_URL'] || env['NATS_URL_FILE']);

/** The bus that the environment names, and who to be on it; a user in the URL goes first. */
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
  const { protocol, host, username, password } = new URL(given.NATS_URL);
  return {
    url: `${protocol}//${host}`,
    user: decodeURIComponent(username) || given.NATS_USER,
    password: decodeURIComponent(password) || given.NATS_PASSWORD,
    tls: { ca: given.NATS_CA, cert: given.NATS_CERT, key: given.NATS_KEY, handshake: given.NATS_TLS_HANDSHAKE },
  };
}

/** The gateway's HTTP server that the environment names. */
export function gatewayFrom(env: Env): { url: string; token: string } | undefined {
  const schema = z.object({ GATEWAY_URL: z.url().optional(), GATEWAY_TOKEN: z.string().min(1).optional() });
  const { GATEWAY_URL: url, GATEWAY_TOKEN: token } = readConfig(schema, env);
  if ((url === undefined) !== (token === undefined)) throw new Fault('GATEWAY_URL and GATEWAY_TOKEN go together: give both, or neither.');
  return url !== undefined && token !== undefined ? { url, token } : undefined;
}

/** Works on a bus and leaves it afterwards. */
export async function withBus<T>(login: Login, work: (bus: Bus) => Promise<T>): Promise<T> {
  const options = { ...login, name: login.user ?? 'cds', log: silentLog, connectSeconds: CONNECT_SECONDS };
  const bus = await Bus.connect(options).catch((cause: unknown) => {
    throw new Fault(`${messageOf(cause)}.`, { cause });
  });
  try {
    return await work(bus);
  } finally {
    await bus.close();
  }
}
