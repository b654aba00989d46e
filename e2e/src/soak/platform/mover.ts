import { setTimeout as pause } from 'node:timers/promises';
import { account } from '@codase/contracts';
import type { Company } from '@codase/testing';

interface Stay {
  least: number;
  most: number;
}
/** How long a company stays in a region, in milliseconds. */
export const STAYS_MS: Stay = { least: 4000, most: 12_000 };
/** How long a move may take while things break, before it is requested again. */
const MOVE_TIMEOUT_MS = 180_000;
const CHECK_MS = 250;
/** After this time faults leave a move alone. */
const LATE_MS = 20_000;

export class Mover {
  moves = 0;
  private movesSince = Infinity;

  constructor(
    private readonly company: Company,
    /** How long the company stays before its first move. */
    private readonly firstMs: Stay,
    private readonly say: (line: string) => void,
  ) {}

  /** Whether the company has been on its way for long. Without a rest from faults it might never arrive, and nobody could write to it. */
  get isLate(): boolean {
    return performance.now() - this.movesSince > LATE_MS;
  }

  async movesUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const { least, most } = this.moves === 0 ? this.firstMs : STAYS_MS;
      const leavesAt = performance.now() + least + Math.random() * (most - least);
      while (!isOver() && performance.now() < leavesAt) await pause(CHECK_MS);
      // A failed move is requested again: a region is down, or the company is moving already.
      if (!isOver() && (await this.move().catch(() => false))) this.moves += 1;
    }
  }

  private async move(): Promise<boolean> {
    const { company } = this;
    const { region: from } = await company.asks(account.readAccount, {});
    const to = from === 'eu' ? 'us' : 'eu';
    const begunAt = performance.now();
    await company.asks(account.migrateRegion, { body: { password: company.password, region: to } });
    this.movesSince = begunAt;
    try {
      return await this.arrives({ from, to, begunAt });
    } finally {
      this.movesSince = Infinity;
    }
  }

  private async arrives({ from, to, begunAt }: { from: string; to: string; begunAt: number }): Promise<boolean> {
    let hasLeft = false;
    while (performance.now() - begunAt < MOVE_TIMEOUT_MS) {
      await pause(CHECK_MS);
      const { region, moving_to } = await this.whereabouts().catch(() => UNKNOWN);
      hasLeft ||= moving_to !== null;
      const isBack = hasLeft && moving_to === null && region === from;
      if (region !== to && !isBack) continue;
      const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
      this.say(`a company ${isBack ? 'could not move and stays in' : 'has moved to'} ${region}, after ${seconds} s`);
      return !isBack;
    }
    return false;
  }

  private async whereabouts(): Promise<Whereabouts> {
    const { moving_to } = await this.company.asks(account.readProfile, {});
    const { region } = await this.company.asks(account.readAccount, {});
    return { region, moving_to: moving_to ?? null };
  }
}

interface Whereabouts {
  region: string | undefined;
  moving_to: string | null;
}
/** The result when no region answers, so that the home is unknown. */
const UNKNOWN: Whereabouts = { region: undefined, moving_to: null };
