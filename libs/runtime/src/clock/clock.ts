/** The one source of time for every rule that depends on time. */
export interface Clock {
  now(): Date;
}
export const CLOCK = Symbol('Clock');

export const systemClock: Clock = { now: () => new Date() };

/** A clock that stands still until it is moved. */
export class ManualClock implements Clock {
  private at: number;

  constructor(start: Date | string = '2026-01-01T12:00:00Z') {
    this.at = new Date(start).getTime();
  }

  now(): Date {
    return new Date(this.at);
  }

  passes(milliseconds: number): void {
    this.at += milliseconds;
  }
}
