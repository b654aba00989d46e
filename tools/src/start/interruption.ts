import { Fault } from '@cds/command-line';

/** npm may pass on the Ctrl-C that the terminal has sent to us already, so what follows within this time is the same key press. */
const ONE_KEY_PRESS = 1000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Thrown out of work that was cut short because somebody wants us to stop. */
export class Interrupted extends Fault {
  constructor() {
    super('Interrupted: everything that was started is stopped.', { exitCode: 130 });
  }
}

/** Turns the first Ctrl-C (or SIGTERM, SIGHUP) into a wish to stop, and a second one into force. */
export class Interruption {
  /** Resolves when somebody wants us to stop. */
  readonly requested: Promise<void>;
  private readonly force: () => void;
  private readonly parentWatch: NodeJS.Timeout | undefined;
  private since: number | undefined;
  private wish: () => void = () => {};

  constructor(force: () => void) {
    this.force = force;
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

  /** The result of the work, unless we are interrupted before it is there; then the work is left to itself. */
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

  /** npm runs us below a shell that passes no SIGTERM on: all that we learn of it is that our parent is gone. */
  private watchParent(parent: number): NodeJS.Timeout {
    return setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(this.parentWatch);
      if (!this.isRequested) this.receive();
    }, 500).unref();
  }
}
