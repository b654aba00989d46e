import type { Login } from '../bus.ts';
import type { ReplicaCounts } from './replica-counts.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The paths of the files of keys. */
export interface KeyFiles {
  signing(base: string): string;
  public: string;
  pepper: string;
  storedSecrets(region: string): string;
  delivery: string;
}

/** How to reach a platform, and what is known of it. */
export interface PlatformAccess {
  nats: Login;
  /** The regions of the platform. Empty when they are not known without asking. */
  regions: readonly string[];
  /** The files of its keys and the number of its replicas, when they are known without asking. */
  keyFiles?: KeyFiles;
  replicas?: ReplicaCounts;
}

/** The operator's user on the bus. */
export const USER = 'platform-operator';
