import type { Bus } from '@cds/runtime/bus';
import { loginFrom, namesBus, withBus } from '../bus.ts';
import { USER, type Env, type PlatformAccess } from './platform-access.ts';

/** The platform as an operator reaches it. */
export interface Platform extends Omit<PlatformAccess, 'nats'> {
  bus: Bus;
  /** Its time, who hears how far a command has come, and how long replicas are waited for; the terminal's when absent. */
  now?: () => Date;
  say?: (line: string) => void;
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
