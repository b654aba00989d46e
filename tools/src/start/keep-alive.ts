import { setTimeout as sleep } from 'node:timers/promises';
import { countDeath, pauseAfter, type RestartPolicy } from './restarts.ts';

/** Something that runs, may die, and can be launched again. */
export interface Mortal {
  name: string;
  /** Resolves when its present life is over: what died, how, and its last words. */
  death(): Promise<string>;
  /** Milliseconds that its present life has been in health. */
  healthyFor(): number;
  relaunch(): Promise<void>;
}

/** Launches it again after each death, with growing pauses, until the signal says to stop or it dies too often. */
export async function keepAlive(mortal: Mortal, policy: RestartPolicy, say: (line: string) => void, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined), { once: true }));
  for (let deaths = 0; !signal.aborted;) {
    const obituary = await Promise.race([mortal.death(), stopped]);
    if (obituary === undefined || signal.aborted) return;
    deaths = countDeath(deaths, mortal.healthyFor(), policy);
    const pause = pauseAfter(deaths, policy);
    say(`${obituary}\n${outlook(mortal.name, deaths, pause)}`);
    if (pause === undefined) return;
    await sleep(pause, undefined, { signal }).catch(() => {}); // stopped: the loop's condition knows
    if (!signal.aborted) await mortal.relaunch();
  }
}

function outlook(name: string, deaths: number, pause: number | undefined): string {
  if (pause === undefined) return `${name} died ${deaths} times in a row and stays down; the rest goes on. Mend it and start again.`;
  return `${name} is started again in ${pause / 1000} s.`;
}
