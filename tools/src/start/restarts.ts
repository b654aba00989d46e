/** How a service that ended is started again. */
export interface RestartPolicy {
  /** Milliseconds before the first restart; each further one waits twice as long. */
  first: number;
  longest: number;
  /** When the service was ready for this many milliseconds, its next exit counts as the first again. */
  healthy: number;
  /** After this many exits in a row the service stays down. */
  exits: number;
}

export const RESTARTS: RestartPolicy = { first: 500, longest: 30_000, healthy: 60_000, exits: 10 };

/** Milliseconds to wait after the given exit in a row; undefined when it is not started again. */
export function pauseAfter(exit: number, policy = RESTARTS): number | undefined {
  return exit >= policy.exits ? undefined : Math.min(policy.first * 2 ** (exit - 1), policy.longest);
}

/** Which exit in a row this is. */
export function countExit(before: number, healthyFor: number, policy = RESTARTS): number {
  return healthyFor >= policy.healthy ? 1 : before + 1;
}
