import { Fault, messageOf } from '@codase/command-line';
import { restartWhenItEnds } from './restart-loop.ts';
import { RESTARTS, type RestartPolicy } from './restarts.ts';
import { UnitProcess, type UnitFolders, type Unit } from './unit.ts';

/** How long a keeper waits until a unit is ready and until it has ended, and how it restarts the unit. */
export interface KeeperTimeouts {
  ready: number;
  /** This must be longer than a service gives itself to finish its work. */
  leave: number;
  restarts: RestartPolicy;
}

export const KEEPER_TIMEOUTS: KeeperTimeouts = { ready: 60_000, leave: 15_000, restarts: RESTARTS };

/** Runs one unit from its start to its stop, and starts it again when it ends. */
export class UnitKeeper {
  readonly unit: Unit;
  private readonly folders: UnitFolders;
  private readonly say: (line: string) => void;
  private readonly timeouts: KeeperTimeouts;
  private readonly stopping = new AbortController();
  private process: UnitProcess | undefined;
  private keeping: Promise<void> = Promise.resolve();

  constructor(unit: Unit, folders: UnitFolders, say: (line: string) => void, timeouts: KeeperTimeouts) {
    this.unit = unit;
    this.folders = folders;
    this.say = say;
    this.timeouts = timeouts;
  }

  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Resolves when the unit is ready. A unit that cannot start even once is not restarted: the caller reports the fault. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) throw new Fault(`${this.unit.name} was stopped before it started.`);
    const first = this.launch();
    await first.untilReady(this.timeouts.ready);
    this.keeping = this.keep(first).catch((error: unknown) => this.say(`${this.unit.name} stays down: ${messageOf(error)}`));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.process?.end(this.timeouts.leave);
    await this.keeping;
  }

  /** Ends the unit at once and for good. */
  kill(): void {
    this.stopping.abort();
    this.process?.kill();
  }

  private launch(): UnitProcess {
    this.process = new UnitProcess(this.unit, this.folders, this.say);
    return this.process;
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
    return restartWhenItEnds(restartable, this.timeouts.restarts, this.say, this.stopping.signal);
  }

  /**
   * Reports when a restarted process is ready. A process that is not ready in time goes on, because what it waits for may come back. When
   * the process ends, the restart loop reports it.
   */
  private async announce(running: UnitProcess): Promise<void> {
    try {
      await running.untilReady(this.timeouts.ready);
      this.say(`${this.unit.name} is back (process ${running.pid}).`);
    } catch (fault) {
      if (running.pid !== undefined && !this.stopping.signal.aborted) this.say(messageOf(fault));
    }
  }
}
