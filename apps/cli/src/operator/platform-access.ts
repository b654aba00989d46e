import type { Login } from '../bus.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Where a platform is, and what its operator knows of it. */
export interface PlatformAccess {
  nats: Login;
  /** Its regions, where they are known without asking. */
  regions: readonly string[];
}

/** The operator's user on the bus. */
export const USER = 'platform-operator';
