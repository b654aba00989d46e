/** How a service that dies is started again. */
export interface RestartPolicy {
  /** Milliseconds before the first restart; each further one waits twice as long. */
  first: number;
  longest: number;
  /** After so long in health the next death counts as the first again. */
  healthy: number;
  /** So many deaths in a row, and it stays down. */
  deaths: number;
}

export const RESTARTS: RestartPolicy = { first: 500, longest: 30_000, healthy: 60_000, deaths: 10 };

/** Milliseconds to wait after the given death in a row; undefined when it was the last one. */
export function pauseAfter(death: number, policy = RESTARTS): number | undefined {
  return death >= policy.deaths ? undefined : Math.min(policy.first * 2 ** (death - 1), policy.longest);
}

/** Which death in a row this is. */
export function countDeath(before: number, healthyFor: number, policy = RESTARTS): number {
  return healthyFor >= policy.healthy ? 1 : before + 1;
}
