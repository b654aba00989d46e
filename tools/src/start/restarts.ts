import { setTimeout as sleep } from 'node:timers/promises';

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

export function countExit(before: number, healthyFor: number, policy = RESTARTS): number {
  return healthyFor >= policy.healthy ? 1 : before + 1;
}

/** Something that runs, may end, and can be started again. */
interface Restartable {
  name: string;
  /** Resolves when it has ended: with what ended, how, and its last log lines. */
  ended(): Promise<string>;
  /** Milliseconds that it has been ready since its last start. */
  healthyFor(): number;
  relaunch(): Promise<void>;
}

/** Starts it again each time it ends, with backoff, until the signal aborts or it ends too often. */
export async function restartWhenItEnds(
  restartable: Restartable,
  policy: RestartPolicy,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
  for (let exits = 0; !signal.aborted;) {
    const exitReport = await Promise.race([restartable.ended(), stopped]);
    if (exitReport === undefined || signal.aborted) return;
    exits = countExit(exits, restartable.healthyFor(), policy);
    const pause = pauseAfter(exits, policy);
    say(`${exitReport}\n${nextStep(restartable.name, exits, pause)}`);
    if (pause === undefined) return;
    await sleep(pause, undefined, { signal }).catch(() => {}); // aborted: the condition of the loop ends it
    if (!signal.aborted) await restartable.relaunch();
  }
}

function nextStep(name: string, exits: number, pause: number | undefined): string {
  if (pause === undefined) return `${name} died ${exits} times in a row and stays down; the rest goes on. Mend it and start again.`;
  return `${name} is started again in ${pause / 1000} s.`;
}
