import type { Bus } from '@cds/runtime/bus';
import { readConfig } from '@cds/runtime/config';
import { z } from 'zod';
import { loginFrom, namesBus, withBus } from '../bus.ts';
import { Fault } from '@cds/command-line';
import { pepperOf, USER, type Env, type PlatformAccess } from './platform-access.ts';

/** The platform as an operator reaches it. */
export interface Platform extends Omit<PlatformAccess, 'nats'> {
  bus: Bus;
}

const Pepper = z.object({ CLIENT_SECRET_PEPPER: z.string().min(43, '32 random bytes in base64').optional() });

/** Works with the platform that NATS_URL names, otherwise with the one that npm start runs, and leaves it afterwards. */
export async function withPlatform<T>(env: Env, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { nats, ...access } = namesBus(env) ? namedPlatform(env) : await defaultStack(env);
  return withBus(nats, (bus) => work({ ...access, bus }));
}

function namedPlatform(env: Env): PlatformAccess {
  const { CLIENT_SECRET_PEPPER } = readConfig(Pepper, env);
  return {
    nats: loginFrom(env, USER),
    regions: [],
    pepper: () => {
      if (!CLIENT_SECRET_PEPPER)
        throw new Fault('CLIENT_SECRET_PEPPER is not set: give the one that the platform has, or CLIENT_SECRET_PEPPER_FILE.');
      return pepperOf(CLIENT_SECRET_PEPPER);
    },
  };
}

/** Loaded only where it is meant: it brings the whole stack along. */
const defaultStack = async (env: Env): Promise<PlatformAccess> => (await import('./default-stack.ts')).defaultStack(env);
