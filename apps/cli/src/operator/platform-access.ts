import type { Login } from '../bus.ts';
import type { ReplicaCounts } from './replica-counts.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Where the files of keys lie. */
export interface KeyFiles {
  signing(base: string): string;
  public: string;
  pepper: string;
  storedSecrets(region: string): string;
  delivery: string;
}

/** Where a platform is, and what its operator knows of it. */
export interface PlatformAccess {
  nats: Login;
  /** Its regions, where they are known without asking. */
  regions: readonly string[];
  /** The files of its keys and the number of its replicas, where they are known without asking. */
  keyFiles?: KeyFiles;
  replicas?: ReplicaCounts;
}

/** The operator's user on the bus. */
export const USER = 'platform-operator';
