import { messageOf } from '@codase/command-line';

export interface Stoppable {
  stop(): Promise<void>;
  kill(): void;
}

/** Remembers what was started, and stops it in the reverse order. */
export class Teardown {
  private readonly started: (Stoppable & { name: string })[] = [];
  private running: Promise<void> | undefined;

  add(name: string, started: Stoppable): void {
    this.started.push({ name, stop: () => started.stop(), kill: () => started.kill() });
  }

  /** Stops everything once, however often it is called. A part that does not stop is reported, and the rest is stopped all the same. */
  run(say: (line: string) => void): Promise<void> {
    this.running ??= this.stopAll(say);
    return this.running;
  }

  kill(): void {
    for (const { kill } of this.started.toReversed()) kill();
  }

  private async stopAll(say: (line: string) => void): Promise<void> {
    for (const { name, stop } of this.started.toReversed()) {
      try {
        await stop();
      } catch (error) {
        say(`${name} did not stop as it ought to: ${messageOf(error)}`);
      }
    }
  }
}
