import { Bus } from '@cds/runtime/bus';
import { natsUrl, readConfig } from '@cds/runtime/config';
import { silentLog } from '@cds/runtime/telemetry';
import { z } from 'zod';
import { Fault } from '../start/fault.ts';
import { pepperOf, USER, type Env, type Reached } from './reached.ts';

/** The platform as an operator reaches it. */
export interface Platform extends Omit<Reached, 'nats'> {
  bus: Bus;
}

/** Somebody waits at the terminal. */
const CONNECT_SECONDS = 1;

const Elsewhere = z.object({
  NATS_URL: natsUrl,
  NATS_USER: z.string().min(1).default(USER),
  NATS_PASSWORD: z.string().min(1).optional(),
  CLIENT_SECRET_PEPPER: z.string().min(43, '32 random bytes in base64').optional(),
});

/** Works with the platform that NATS_URL names, otherwise with the one that npm start runs, and leaves it afterwards. */
export async function withPlatform<T>(env: Env, root: string, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { nats, ...reached } = env['NATS_URL'] || env['NATS_URL_FILE'] ? elsewhere(env) : await defaultStack(env, root);
  const bus = await Bus.connect({ ...nats, name: USER, log: silentLog, connectSeconds: CONNECT_SECONDS }).catch((error: unknown) => {
    throw new Fault(`NATS at ${new URL(nats.url).host} does not let ${nats.user} in (${(error as Error).message}): is it running, and are the user and password right?`, { cause: error });
  });
  try {
    return await work({ ...reached, bus });
  } finally {
    await bus.close();
  }
}

function elsewhere(env: Env): Reached {
  const { NATS_URL, NATS_USER, NATS_PASSWORD, CLIENT_SECRET_PEPPER } = readConfig(Elsewhere, env);
  const { protocol, host, username, password } = new URL(NATS_URL);
  return {
    nats: { url: `${protocol}//${host}`, user: decodeURIComponent(username) || NATS_USER, password: decodeURIComponent(password) || NATS_PASSWORD },
    regions: [],
    pepper: () => {
      if (!CLIENT_SECRET_PEPPER) throw new Fault('CLIENT_SECRET_PEPPER is not set: give the one that the platform has, or CLIENT_SECRET_PEPPER_FILE.');
      return pepperOf(CLIENT_SECRET_PEPPER);
    },
  };
}

/** Loaded only where it is meant: it brings the whole stack along. */
const defaultStack = async (env: Env, root: string): Promise<Reached> => (await import('./default-stack.ts')).defaultStack(env, root);
