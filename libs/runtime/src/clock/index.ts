export { CLOCK, ManualClock, systemClock, type Clock } from './clock.ts';
export { followClock } from './followed-clock.ts';
