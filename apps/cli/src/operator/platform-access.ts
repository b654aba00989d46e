import type { Pepper } from '@cds/platform';
import type { Login } from '../bus.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Where a platform is, and what its operator knows of it. */
export interface PlatformAccess {
  nats: Login;
  /** Its regions, where they are known without asking. */
  regions: readonly string[];
  /** The key that client secrets are hashed with. */
  pepper(): Pepper;
}

/** The operator's user on the bus. */
export const USER = 'platform-operator';

/** As every role of the platform reads it. */
export const pepperOf = (key: string): Pepper => ({ id: '1', key: Buffer.from(key, 'base64') });
