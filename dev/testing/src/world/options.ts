import { RATE_LIMITS } from '@codase/contracts';
import type { NatsServer } from '@codase/servers';
import type { UnitName } from '@codase/stack';
import { requiredVariable } from '../required-variable.ts';

export interface WorldOptions {
  /**
   * `one`: all services run in this process, which opens quickly. `many`: each service runs in its own process, which can be killed and
   * traced. A list: these services run in their own processes and the others here, because a process takes more than a second of CPU to
   * start. Time stands still only in `one`.
   */
  processes?: Processes;
  /** Which services to start; all when absent. */
  units?: readonly UnitName[];
  /** Rate limits. They are so generous that no test meets them, unless the test is about them. `tiny`: every bucket holds one call. */
  limits?: Limits;
  /** How the feed consumer gets the events of each service. It drains them when absent. */
  channels?: Record<string, object>;
  /** Internal services on the suite's bus, besides the demo's own. */
  neighbours?: readonly { user: string; services: readonly string[]; groups?: readonly string[]; account?: boolean }[];
  /** The size limit of a bus message, for a test about longer content. It is then smaller than in the default stack. */
  messageBytes?: number;
  /** The world's own servers, for a test that kills them. The servers of the test run when absent. */
  servers?: Servers;
  /** Whether the secrets are in files, as in the default stack, for a test that replaces them. */
  secretFiles?: boolean;
  /** Whether the processes send their spans to `world.traces`, for a test that reads them. */
  traces?: boolean;
  /** Where services in their own processes write temporary files, for a test that searches them. */
  temporaryFolder?: string;
}

export interface Servers {
  /** The address of a superuser. */
  postgresUrl: string;
  nats: NatsServer;
  /** Whether the bus writes through to the disk, as in production. */
  durable: boolean;
  /** The number of nodes of the bus cluster, each with every stream. One server when absent. */
  nodes?: number;
}

export const serversOfTestRun = (): Servers => ({
  postgresUrl: requiredVariable('CODASE_TEST_POSTGRES_URL'),
  nats: JSON.parse(requiredVariable('CODASE_TEST_NATS_SERVER')) as NatsServer,
  durable: false,
});

export type Processes = 'one' | 'many' | readonly UnitName[];

export const runsApart = (processes: Processes, unit: UnitName) =>
  processes === 'many' || (processes !== 'one' && processes.includes(unit));

/** A limit that is not reached in a test. Time stands still in a world, so a used-up bucket would never fill again. */
const GENEROUS = { burst: 1_000_000, per_second: 1_000 };
const TINY = { burst: 1, per_second: 0.1 };
/**
 * How rate limits are set. A list: the limits with these names are generous. An earlier release refuses to start with a limit that it does
 * not know.
 */
export type Limits = 'generous' | 'real' | 'tiny' | readonly string[];

export const bucketsOf = (limits: Limits) => {
  if (limits === 'real') return undefined;
  const names = typeof limits === 'string' ? Object.keys(RATE_LIMITS) : limits;
  return Object.fromEntries(names.map((name) => [name, limits === 'tiny' ? TINY : GENEROUS]));
};
