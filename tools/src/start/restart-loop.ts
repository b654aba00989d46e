import { setTimeout as sleep } from 'node:timers/promises';
import { countExit, pauseAfter, type RestartPolicy } from './restarts.ts';

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
