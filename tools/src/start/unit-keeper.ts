import { Fault, messageOf } from '@cds/command-line';
import { keepAlive } from './keep-alive.ts';
import { RESTARTS, type RestartPolicy } from './restarts.ts';
import { Life, type Place, type Unit } from './unit.ts';

/** How long a keeper waits for what. */
export interface Patience {
  ready: number;
  /** Longer than a service gives itself to finish its work. */
  leave: number;
  restarts: RestartPolicy;
}

export const PATIENCE: Patience = { ready: 60_000, leave: 15_000, restarts: RESTARTS };

/** Keeps one unit alive from its start to its stop, life after life. */
export class UnitKeeper {
  readonly unit: Unit;
  private readonly place: Place;
  private readonly say: (line: string) => void;
  private readonly patience: Patience;
  private readonly stopping = new AbortController();
  private life: Life | undefined;
  private keeping: Promise<void> = Promise.resolve();

  constructor(unit: Unit, place: Place, say: (line: string) => void, patience: Patience) {
    this.unit = unit;
    this.place = place;
    this.say = say;
    this.patience = patience;
  }

  get pid(): number | undefined {
    return this.life?.pid;
  }

  /** Resolves when the unit is ready. A unit that cannot even start once is not restarted: its first fault is the caller's to tell. */
  async start(): Promise<void> {
    if (this.stopping.signal.aborted) throw new Fault(`${this.unit.name} was stopped before it started.`);
    const first = this.launch();
    await first.untilReady(this.patience.ready);
    this.keeping = this.keep(first).catch((error: unknown) => this.say(`${this.unit.name} stays down: ${messageOf(error)}`));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.life?.end(this.patience.leave);
    await this.keeping;
  }

  /** Ends it at once and for good. */
  kill(): void {
    this.stopping.abort();
    this.life?.kill();
  }

  private launch(): Life {
    this.life = new Life(this.unit, this.place, this.say);
    return this.life;
  }

  private keep(life: Life): Promise<void> {
    const mortal = {
      name: this.unit.name,
      death: () => life.obituary(),
      healthyFor: () => life.healthyFor,
      relaunch: async () => {
        life = this.launch();
        void this.announce(life);
      },
    };
    return keepAlive(mortal, this.patience.restarts, this.say, this.stopping.signal);
  }

  /** A life that is not ready in time goes on: what it waits for may come back. Of a death the keeper itself will tell. */
  private async announce(life: Life): Promise<void> {
    try {
      await life.untilReady(this.patience.ready);
      this.say(`${this.unit.name} is back (process ${life.pid}).`);
    } catch (fault) {
      if (life.pid !== undefined && !this.stopping.signal.aborted) this.say(messageOf(fault));
    }
  }
}
