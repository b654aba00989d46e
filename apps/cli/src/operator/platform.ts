import type { Bus } from '@cds/runtime/bus';
import { loginFrom, namesBus, withBus } from '../bus.ts';
import { USER, type Env, type PlatformAccess } from './platform-access.ts';

/** The platform as an operator reaches it. */
export interface Platform extends Omit<PlatformAccess, 'nats'> {
  bus: Bus;
  /** Its time, and how long its replicas are waited for; those of the commands when absent. */
  now?: () => Date;
  pace?: { answersMs: number; everyMs: number };
}

/** Works with the platform that NATS_URL names, otherwise with the one that npm start runs, and leaves it afterwards. */
export async function withPlatform<T>(env: Env, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { nats, ...access } = namesBus(env) ? namedPlatform(env) : await defaultStack(env);
  return withBus(nats, (bus) => work({ ...access, bus }));
}

const namedPlatform = (env: Env): PlatformAccess => ({ nats: loginFrom(env, USER), regions: [] });

/** Loaded only where it is meant: it brings the whole stack along. */
const defaultStack = async (env: Env): Promise<PlatformAccess> => (await import('./default-stack.ts')).defaultStack(env);
