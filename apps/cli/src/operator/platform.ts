import type { Bus } from '@codase/runtime/bus';
import type { keyFilesIn } from '@codase/stack';
import { loginFrom, namesBus, withBus, type Login } from '../bus.ts';
import type { ReplicaCounts } from './replica-counts.ts';

type Env = Readonly<Record<string, string | undefined>>;

export type KeyFiles = ReturnType<typeof keyFilesIn>;

/** How to reach a platform, and what is known of it. */
interface PlatformAccess {
  nats: Login;
  /** The regions of the platform. Empty when they are not known without asking. */
  regions: readonly string[];
  /** The files of its keys and the number of its replicas, when they are known without asking. */
  keyFiles?: KeyFiles;
  replicas?: ReplicaCounts;
}

/** The platform as an operator uses it. */
export interface Platform extends Omit<PlatformAccess, 'nats'> {
  bus: Bus;
  /** The clock, the output for progress, and how long to wait for replicas. Absent at a terminal, where the defaults are used. */
  now?: () => Date;
  say?: (line: string) => void;
  polling?: { answersMs: number; everyMs: number };
}

const USER = 'platform-operator';

/** Connects to the platform that NATS_URL names, or else to the one that npm start runs, does the work, and disconnects. */
export async function withPlatform<T>(env: Env, work: (platform: Platform) => Promise<T>): Promise<T> {
  const { nats, ...access }: PlatformAccess = namesBus(env) ? { nats: loginFrom(env, USER), regions: [] } : await defaultStack(env);
  return withBus(nats, (bus) => work({ ...access, bus }));
}

/** Returns the access to the platform that npm start runs. The code of the stack is loaded only when it is needed. */
async function defaultStack(env: Env): Promise<PlatformAccess> {
  const { keyFilesIn, REGIONS, ROOT, runningStack, stateDirOf } = await import('@codase/stack');
  const { nats, secrets, scale } = runningStack({ stateDir: stateDirOf(env, ROOT) }, ', or set NATS_URL to the platform you mean');
  const access = { url: nats.url, ...nats.credentials(USER) };
  return { nats: access, regions: REGIONS, keyFiles: keyFilesIn(secrets), replicas: { all: scale.replicas } };
}
