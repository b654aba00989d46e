import { setImmediate } from 'node:timers/promises';

/** How long a slice of the work may keep other work waiting. */
const SLICE_MS = 10;

/** Does work that comes in steps, and lets other work run in between: nothing waits for longer than a slice and a step. */
export async function inSlices<T>(steps: Iterator<undefined, T>): Promise<T> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}
