import type { Bus } from '@codase/runtime/bus';
import { loginFrom, namesBus, withBus } from '../bus.ts';
import { USER, type Env, type PlatformAccess } from './platform-access.ts';

/** The platform as an operator uses it. */
export interface Platform extends Omit<PlatformAccess, 'nats'> {
  bus: Bus;
  /** The clock, the output for progress, and how long to wait for replicas. Absent at a terminal, where the defaults are used. */
  now?: () => Date;
  say?: (line: string) => void;
  polling?: { answersMs: number; everyMs: number };
}

/** Connects to the platform that NATS_URL names, or else to the one that npm start runs, does the work, and disconnects. */
export async function withPlatform<T>(env: Env, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { nats, ...access } = namesBus(env) ? namedPlatform(env) : await defaultStack(env);
  return withBus(nats, (bus) => work({ ...access, bus }));
}

const namedPlatform = (env: Env): PlatformAccess => ({ nats: loginFrom(env, USER), regions: [] });

/** Loads the code of the default stack only when it is needed, because that code imports the whole stack. */
const defaultStack = async (env: Env): Promise<PlatformAccess> => (await import('./default-stack.ts')).defaultStack(env);
