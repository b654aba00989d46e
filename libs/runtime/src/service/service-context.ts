import type { Bus } from '../bus/index.ts';
import type { Clock } from '../clock/index.ts';
import type { Log } from '../telemetry/index.ts';
import type { Check } from './health.ts';

/** What a service has before it builds its module; each part of the module may inject it. */
export interface ServiceContext {
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Aborted when the service begins to leave, before requests in hand are waited for: requests that only wait for something end. */
  drain: AbortSignal;
  /** Aborted when the time of requests in hand is over, and the service closes. */
  shutdown: AbortSignal;
  /** Adds the check to readiness, and waits until it holds: for something that a start cannot do without. */
  waitFor(name: string, check: Check): Promise<void>;
}

/** The token of the drain signal. */
export const DRAIN = Symbol('drain signal');

/** The token of the shutdown signal. */
export const SHUTDOWN = Symbol('shutdown signal');
