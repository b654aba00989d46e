import { monotonic, type Monotonic } from '@cds/runtime/resilience';

/** More than a process hands out at once; each holds the answers of a run, in the clear. */
const MOST = 1000;

/**
 * What was opened when a turn was taken, until it is answered: opening it again would cost as much as the whole turn. It stays in this
 * process, as long as the turn is held and no longer.
 */
export class OpenedTurns<T> {
  private readonly held = new Map<string, { opened: T; endsAt: number }>();

  constructor(
    private readonly most = MOST,
    private readonly now: Monotonic = monotonic,
  ) {}

  get size(): number {
    return this.held.size;
  }

  put(hold: string, opened: T, seconds: number): void {
    this.held.delete(hold);
    this.held.set(hold, { opened, endsAt: this.now() + seconds * 1000 });
    this.forgetEnded();
    if (this.held.size > this.most) this.held.delete(this.held.keys().next().value!);
  }

  get(hold: string): T | undefined {
    this.forgetEnded();
    return this.held.get(hold)?.opened;
  }

  delete(hold: string): void {
    this.held.delete(hold);
  }

  forgetEnded(): void {
    for (const [hold, { endsAt }] of this.held) if (endsAt <= this.now()) this.held.delete(hold);
  }
}
