import { Fault, messageOf } from '@codase/command-line';
import { RESTARTS, restartWhenItEnds, type RestartPolicy } from './restarts.ts';
import { UnitProcess, type UnitFolders, type Unit } from './unit.ts';

/** How long a keeper waits until a unit is ready and until it has ended, and how it restarts the unit. */
interface KeeperTimeouts {
  ready: number;
  /** This must be longer than a service gives itself to finish its work. */
  leave: number;
  restarts: RestartPolicy;
}

export const KEEPER_TIMEOUTS: KeeperTimeouts = { ready: 60_000, leave: 15_000, restarts: RESTARTS };

/** Runs one unit from its start to its stop, and starts it again when it ends. */
export class UnitKeeper {
  private readonly stopping = new AbortController();
  private process: UnitProcess | undefined;
  /** The next process of a unit that stands by. */
  private standby: UnitProcess | undefined;
  /** Aborted when the present process is not to be started again. */
  private replacing = new AbortController();
  private keeping: Promise<void> = Promise.resolve();

  constructor(
    readonly unit: Unit,
    private readonly folders: UnitFolders,
    private readonly say: (line: string) => void,
    private readonly timeouts: KeeperTimeouts,
  ) {}

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves when the unit is ready. A unit that cannot start even once is not restarted: the caller reports the fault. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) throw new Fault(`${this.unit.name} was stopped before it started.`);
    const first = this.launch();
    await this.keepAliveWhenReady(first);
  }

  /** Loads the code of a unit that stands by. Rejects with a Fault when it cannot be loaded: the present process goes on. */
  async prepare(superseded: AbortSignal): Promise<void> {
    this.standBy();
    const next = this.standby;
    if (!next) return;
    try {
      await Promise.race([next.load(), aborted(superseded)]);
      if (superseded.aborted) next.kill(); // what it has loaded is out of date
    } finally {
      if (next.pid === undefined || superseded.aborted) this.standby = undefined;
      this.standBy();
    }
  }

  /** Ends the present process within `leaveMs` and starts the next. Rejects when that ends before it is ready: the unit stays down. */
  async restart(leaveMs: number, superseded: AbortSignal): Promise<void> {
    this.replacing.abort();
    await this.keeping;
    await this.process?.end(leaveMs);
    if (this.stopping.signal.aborted) return;
    const next = this.launch();
    const ready = this.keepAliveWhenReady(next);
    await Promise.race([ready, aborted(superseded)]);
    ready.catch(() => {}); // a process that was superseded may never be ready
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.standby?.kill();
    await Promise.all([this.process?.end(this.timeouts.leave), this.standby?.ended]);
    await this.keeping;
  }

  /** Ends the unit at once and for good. */
  kill(): void {
    this.stopping.abort();
    this.standby?.kill();
    this.process?.kill();
  }

  private get readyWithinMs(): number {
    return this.unit.readyWithinMs ?? this.timeouts.ready;
  }

  private launch(): UnitProcess {
    const waiting = this.standby?.pid === undefined ? undefined : this.standby;
    this.standby = undefined;
    this.process = waiting ?? new UnitProcess(this.unit, this.folders, this.say);
    this.process.begin();
    return this.process;
  }

  private async keepAliveWhenReady(running: UnitProcess): Promise<void> {
    await running.untilReady(this.readyWithinMs);
    this.keepAlive(running);
  }

  private keepAlive(running: UnitProcess): void {
    if (this.process !== running || this.stopping.signal.aborted) return;
    this.replacing = new AbortController();
    this.standBy();
    this.keeping = this.keep(running).catch((error: unknown) => this.say(`${this.unit.name} stays down: ${messageOf(error)}`));
  }

  private standBy(): void {
    const isWanted = this.unit.standsBy && this.standby?.pid === undefined && !this.stopping.signal.aborted;
    if (isWanted) this.standby = new UnitProcess(this.unit, this.folders, this.say);
  }

  private keep(running: UnitProcess): Promise<void> {
    const restartable = {
      name: this.unit.name,
      ended: () => running.exitReport(),
      healthyFor: () => running.healthyFor,
      relaunch: async () => {
        running = this.launch();
        void this.announce(running);
      },
    };
    const ends = AbortSignal.any([this.stopping.signal, this.replacing.signal]);
    return restartWhenItEnds(restartable, this.timeouts.restarts, this.say, ends);
  }

  /** Reports when a restarted process is ready. One that is late goes on; the restart loop reports one that ends. */
  private async announce(running: UnitProcess): Promise<void> {
    try {
      await running.untilReady(this.readyWithinMs);
      this.say(`${this.unit.name} is back (process ${running.pid}).`);
      this.standBy();
    } catch (fault) {
      if (running.pid !== undefined && !this.stopping.signal.aborted) this.say(messageOf(fault));
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
