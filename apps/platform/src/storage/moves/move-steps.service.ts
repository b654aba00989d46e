import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as pause } from 'node:timers/promises';
import { REGION, type CopyCursor, type Holdings } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import { poll } from '@codase/runtime/resilience';
import type { DataSource } from 'typeorm';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { ClientsStore, ClientsTable } from '../../access/clients/index.ts';
import { AccountsStore } from '../../access/identity/index.ts';
import { MovedTables } from './moved-tables.ts';
import { MovesStore, type Move } from './moves.store.ts';

/** The pause between the flip and the deletion of the old copy, from which reads that began before the flip are still answered. */
const LAST_READS_MS = 1000;
/** How often and how long the old region is asked whether deliveries have ended: longer than the lease of a dead process. */
const SETTLE = { everyMs: 100, withinMs: 60_000 } as const;
/** The timeout of a hand-over, longer than both requests that the old region makes for it: the answer says which one failed. */
const HAND_OVER = { timeout: 15_000 };
/** The timeout of a request for the digest of one table: every row that a company has in it is read. */
const DIGEST = { timeout: 120_000 };
/**
 * The timeout of a request to remove rows, as short as that of a hand-over: a region that died does not answer, and the company waits. When
 * it is too short for a large company, the next attempt goes on with the rows left.
 */
const REMOVAL = { timeout: 15_000 };

/** Does the steps of a move by requests to the two regions. @gap D1-5.6 */
@Injectable()
export class MoveSteps {
  constructor(
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly moves: MovesStore,
    private readonly accounts: AccountsStore,
    private readonly clients: ClientsStore,
    private readonly clientsTable: ClientsTable,
    private readonly tables: MovedTables,
  ) {}

  /** Does the step and records that it is done. Returns false when another front door has taken a later turn. */
  async take(move: Move, signal: AbortSignal): Promise<boolean> {
    if (move.step === 'flipping') return this.flip(move);
    await this.ask(move, move.step, signal);
    return this.moves.advance(move, this.clock.now());
  }

  private async ask(move: Move, step: Exclude<Move['step'], 'flipping'>, signal: AbortSignal): Promise<void> {
    const { user_id, turn, from_region, to_region: to } = move;
    const [from, there, inTurn] = [{ region: from_region }, { region: to }, { user_id, turn }];
    switch (step) {
      case 'pausing':
        return void (await this.bus.request(REGION.beginLeaving, from, { ...inTurn, to }));
      case 'settling':
        return this.settle(move, signal);
      case 'copying':
        return this.copy(move, signal);
      case 'leaving':
        await this.bus.request(REGION.completeArriving, there, inTurn);
        await pause(LAST_READS_MS, undefined, { signal });
        return void (await this.bus.request(REGION.finishLeaving, from, inTurn, REMOVAL));
      case 'arriving':
        return void (await this.bus.request(REGION.finishArriving, there, inTurn));
      case 'returning':
        return void (await this.bus.request(REGION.stay, from, inTurn));
      case 'forgetting':
        return void (await this.bus.request(REGION.forgetArrival, there, inTurn, REMOVAL));
    }
  }

  private async settle({ user_id, turn, from_region, to_region: to }: Move, signal: AbortSignal): Promise<void> {
    const ask = async () => (await this.bus.request(REGION.settleLeaving, { region: from_region }, { user_id, turn, to })).settled;
    const isSettled = await poll(async () => (await ask()) || undefined, { ...SETTLE, signal });
    if (!isSettled) throw new Error(`deliveries of the company did not end within ${SETTLE.withinMs} ms`);
  }

  /** Copies the rows piece by piece, so that a region that dies is noticed at once, and then compares both sides. */
  private async copy({ user_id, turn, from_region, to_region: to }: Move, signal: AbortSignal): Promise<void> {
    await this.bus.request(REGION.beginArriving, { region: to }, { user_id, turn }, REMOVAL);
    let from: CopyCursor | null = null;
    do {
      signal.throwIfAborted();
      from = (await this.bus.request(REGION.handOver, { region: from_region }, { user_id, turn, to, from }, HAND_OVER)).next;
    } while (from);
    for (const { table } of this.tables.all) {
      signal.throwIfAborted();
      const digest = (region: string) => this.bus.request(REGION.holdings, { region }, { user_id, table }, DIGEST);
      const [old, copy] = await Promise.all([digest(from_region), digest(to)]);
      compare(old, copy);
    }
  }

  /** Makes the new region the home, in one transaction. The regions learn where the clients live before; if it fails, it is repeated. */
  private flip(move: Move): Promise<boolean> {
    return this.db.transaction(async (tx) => {
      if (!(await this.moves.advance(move, this.clock.now(), tx))) return false;
      await this.accounts.setRegion(move.user_id, move.to_region, tx);
      for (const client_id of await this.clients.setRegion(move.user_id, move.to_region, tx))
        await this.clientsTable.publish((await this.clients.find(client_id, tx))!);
      await this.moves.recordStep(tx, 'move.flipped', move);
      return true;
    });
  }
}

function compare(old: Holdings, copy: Holdings): void {
  const different = Object.keys({ ...old, ...copy }).filter((table) => old[table]?.digest !== copy[table]?.digest);
  if (different.length > 0) throw new Error(`the regions hold different rows of ${different.join(', ')}: do both run the same version?`);
}
