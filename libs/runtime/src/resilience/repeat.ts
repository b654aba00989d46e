import { count, countFromZero, RUNTIME_METRICS } from '../telemetry/metrics.ts';
import { backoffMs, type Backoff } from './backoff.ts';
import { atNextTick } from './shared-ticks.ts';

export interface RepeatOptions<T> {
  /** The name under which failed rounds are counted: a constant, never data. */
  name: string;
  /** The pause after a round: a number, or a function of what the round returned. */
  pauseMs: number | ((result: T) => number);
  /**
   * For one of many loops that do the same work: whether the pause after this round ends together with the pauses of other loops, up to 50
   * ms sooner or later. It counts only for pauses of a second or more.
   */
  endsTogether?(result: T): boolean;
  /** Pauses after rounds that failed, one after the other. When absent, a `pauseMs` that is a number holds after failures too. */
  backoff?: Backoff;
  /** Called when a round failed; the next one follows all the same. */
  onFailure(error: unknown): void;
}

/** The shortest pause that can end together with those of other loops. */
const LONG_MS = 1000;
const USUAL_BACKOFF: Backoff = { firstMs: 500, longestMs: 60_000 };

/** Work that is done round after round. */
export interface Repeated {
  /** Settles when the first round is over, whether it failed or not. */
  first: Promise<void>;
  /** Begins the next round now, or at once after the one under way, because there is something to do. A pause after a failure is kept. */
  wake(): void;
  /** Ends the repetition after the round under way. */
  stop(): Promise<void>;
}

/** Does work round after round, with pauses, until it is stopped. A failed round is counted and does not end it. */
export function repeat<T>(work: () => Promise<T>, options: RepeatOptions<T>): Repeated {
  const rounds = new Rounds(work, options);
  return rounds.start();
}

/** The pause after a round that does a bounded number of things: none after a round that did as many, since there may be more. */
export const pauseUnlessFull =
  (most: number, pauseMs: number) =>
  (done: number): number =>
    done < most ? pauseMs : 0;

class Rounds<T> {
  private failures = 0;
  private isStopped = false;
  private isWoken = false;
  private isShared = false;
  private endPause: (() => void) | undefined;

  constructor(
    private readonly work: () => Promise<T>,
    private readonly options: RepeatOptions<T>,
  ) {}

  start(): Repeated {
    countFromZero(RUNTIME_METRICS.roundsFailed, { 'codase.check': this.options.name });
    const first = this.round();
    const running = this.run(first);
    return {
      first: first.then(() => undefined),
      wake: () => {
        this.isWoken = true;
        if (this.failures === 0) this.endPause?.();
      },
      stop: () => {
        this.isStopped = true;
        this.endPause?.();
        return running;
      },
    };
  }

  private async run(first: Promise<number>): Promise<void> {
    for (let pauseMs = await first; !this.isStopped; pauseMs = await this.round()) {
      const goesOn = this.isWoken && this.failures === 0;
      await this.pause(goesOn ? 0 : pauseMs);
      if (this.isStopped) return;
    }
  }

  /** Does one round, and returns the pause after it. */
  private async round(): Promise<number> {
    const { name, pauseMs, backoff, onFailure } = this.options;
    this.isWoken = this.isShared = false;
    try {
      const result = await this.work();
      this.failures = 0;
      this.isShared = this.options.endsTogether?.(result) ?? false;
      return typeof pauseMs === 'number' ? pauseMs : pauseMs(result);
    } catch (error) {
      this.failures += 1;
      count(RUNTIME_METRICS.roundsFailed, { 'codase.check': name });
      onFailure(error);
      return typeof pauseMs === 'number' && !backoff ? pauseMs : backoffMs(backoff ?? USUAL_BACKOFF, this.failures);
    }
  }

  /** Waits between two rounds. Other work gets its turn even when there is no pause. The wait does not keep the process alive. */
  private async pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      if (ms <= 0) return void setImmediate(resolve);
      const end = this.isShared && ms >= LONG_MS ? atNextTick(ms, resolve) : after(ms, resolve);
      this.endPause = () => {
        end();
        resolve();
      };
    });
    this.endPause = undefined;
  }
}

function after(ms: number, goOn: () => void): () => void {
  const timer = setTimeout(goOn, ms).unref();
  return () => clearTimeout(timer);
}
