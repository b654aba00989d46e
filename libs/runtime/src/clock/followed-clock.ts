import { CLOCK_MOVED } from '@codase/contracts';
import type { Bus } from '../bus/index.ts';
import { systemClock, type Clock } from './clock.ts';

/**
 * A clock for development and tests: the machine's time plus an offset that an operator moves over the bus, so that ten minutes pass in
 * every process at once. The program that moves it waits for an answer from each process before it goes on.
 */
export async function followClock(bus: Bus, name: string, offsetMs = 0): Promise<Clock> {
  let offset = offsetMs;
  await bus.answer(CLOCK_MOVED, { name }, (moved) => {
    offset = moved.offset_ms;
    return moved;
  });
  return { now: () => new Date(systemClock.now().getTime() + offset) };
}
