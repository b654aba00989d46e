import { Fault } from '@codase/command-line';

/** npm may pass on the Ctrl-C that the terminal has already sent to this process, so a signal within this time is the same key press. */
const ONE_KEY_PRESS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Thrown when work is cut short because a stop was requested. */
class Interrupted extends Fault {
  constructor() {
    super('Interrupted: everything that was started is stopped.', { exitCode: 130 });
  }
}

/** Turns the first Ctrl-C (or SIGTERM, SIGHUP) into a request to stop, and a second one into an immediate end. */
export class Interruption {
  readonly requested: Promise<void>;
  private readonly parentWatch: NodeJS.Timeout | undefined;
  private since: number | undefined;
  private wish: () => void = () => {};

  constructor(private readonly force: () => void) {
    this.requested = new Promise((resolve) => (this.wish = resolve));
    for (const signal of SIGNALS) process.on(signal, this.receive);
    if (process.env.npm_lifecycle_event !== undefined) this.parentWatch = this.watchParent(process.ppid);
  }

  get isRequested(): boolean {
    return this.since !== undefined;
  }

  check(): void {
    if (this.isRequested) throw new Interrupted();
  }

  /** Returns the result of the work. Throws when the interruption comes first; nothing waits for the work then. */
  async orElse<T>(work: Promise<T>): Promise<T> {
    const interrupted = this.requested.then(() => Promise.reject(new Interrupted()));
    return Promise.race([work, interrupted]);
  }

  close(): void {
    clearInterval(this.parentWatch);
    for (const signal of SIGNALS) process.off(signal, this.receive);
  }

  private readonly receive = (): void => {
    const now = performance.now();
    if (this.since === undefined) {
      this.since = now;
      this.wish();
    } else if (now - this.since > ONE_KEY_PRESS) this.force();
  };

  /** npm runs this process below a shell that does not pass SIGTERM on: the only sign of it is that the parent process is gone. */
  private watchParent(parent: number): NodeJS.Timeout {
    return setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(this.parentWatch);
      if (!this.isRequested) this.receive();
    }, 500).unref();
  }
}
