import { RATE_LIMITS } from '@cds/contracts';
import type { NatsServer } from '@cds/servers';
import type { UnitName } from '@cds/stack';
import { required } from '../required.ts';

export interface WorldOptions {
  /**
   * `one`: every service in this process, quick to open. `many`: each in a process of its own, which can be killed and traced. A list:
   * these in processes of their own, the others here: a process takes more than a second of CPU to start. Time stands still in `one` alone.
   */
  processes?: Processes;
  /** Which services to start; all when absent. */
  units?: readonly UnitName[];
  /** Rate limits: out of the way unless a story is about them. `tiny`: every bucket holds one call. */
  limits?: Limits;
  /** How the feed consumer gets the events of each service; it drains them when absent. */
  channels?: Record<string, object>;
  /** Internal services on the suite's bus beside the demo's own. */
  neighbours?: readonly { user: string; services: readonly string[]; groups?: readonly string[] }[];
  /** What its bus carries in a message: for a story of what is longer, with less than in the default stack. */
  messageBytes?: number;
  /** Servers of its own, for a story that kills them; those of the test run when absent. */
  servers?: Servers;
  /** Whether its secrets lie in files, as in the default stack: for a story that replaces them. */
  secretFiles?: boolean;
  /** Whether the spans of its processes are sent to `world.traces`, for a story that looks at them. */
  traces?: boolean;
  /** Where services in processes of their own write temporary files, for a story that looks for them. */
  temporaryFolder?: string;
}

export interface Servers {
  /** Of a superuser. */
  postgresUrl: string;
  nats: NatsServer;
  /** Whether the bus writes through to the disk, as in production. */
  durable: boolean;
  /** Of the cluster that the bus is, with every stream on all of them; it is one server when absent. */
  nodes?: number;
}

export const serversOfTestRun = (): Servers => ({
  postgresUrl: required('CDS_TEST_POSTGRES_URL'),
  nats: JSON.parse(required('CDS_TEST_NATS_SERVER')) as NatsServer,
  durable: false,
});

export type Processes = 'one' | 'many' | readonly UnitName[];

export const runsApart = (processes: Processes, unit: UnitName) =>
  processes === 'many' || (processes !== 'one' && processes.includes(unit));

/** Time stands still in a world, so a bucket would never fill again. */
const GENEROUS = { burst: 1_000_000, per_second: 1_000 };
const TINY = { burst: 1, per_second: 0.1 };
/** A list: the limits of these names are generous. An earlier release refuses to start with a limit that it does not know. */
export type Limits = 'generous' | 'real' | 'tiny' | readonly string[];

export const bucketsOf = (limits: Limits) => {
  if (limits === 'real') return undefined;
  const names = typeof limits === 'string' ? Object.keys(RATE_LIMITS) : limits;
  return Object.fromEntries(names.map((name) => [name, limits === 'tiny' ? TINY : GENEROUS]));
};
