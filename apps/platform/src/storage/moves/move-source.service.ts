import { Inject, Injectable } from '@nestjs/common';
import { BUS_MESSAGE_BYTES, Refusal, REGION, type CopyCursor, type InTurn } from '@codase/contracts';
import { Bus } from '@codase/runtime/bus';
import { setHome } from '../../foundation/regions/index.ts';
import { COMPANY_LEAVES, type CompanyLeaves } from './moves.hook.ts';
import { CompanyRows, type Chunk } from './company-rows.store.ts';
import { MoveTurns } from './move-turns.service.ts';
import { MovedTables } from './moved-tables.ts';
import { TransferredRows } from './transferred-rows.service.ts';

/** The most bytes of JSON in one message: what the bus carries, without the envelope. */
const MAX_BYTES = BUS_MESSAGE_BYTES - 64 * 1024;

interface Passage extends InTurn {
  to: string;
}

/** The old region's side of a move. @gap D1-5.6 */
@Injectable()
export class MoveSource {
  constructor(
    private readonly bus: Bus,
    private readonly turns: MoveTurns,
    private readonly rows: CompanyRows,
    private readonly tables: MovedTables,
    private readonly transferred: TransferredRows,
    @Inject(COMPANY_LEAVES) private readonly leaving: readonly CompanyLeaves[],
  ) {}

  /** Begins the leaving. No write is under way from now on, and capabilities drop the rows of the company that they have read. */
  begin({ to, ...move }: Passage): Promise<null> {
    return this.turns.take('beginLeaving', move, async (tx) => {
      await setHome(tx, move.user_id, 'settling', to);
      for (const hook of this.leaving) await hook.companyLeaves(tx, move.user_id);
      return null;
    });
  }

  /**
   * Marks the company as leaving when its deliveries have ended, and returns whether they have. A delivery under way has to end first: a
   * row that is copied before it is deleted would be delivered once more from the new region.
   */
  settle({ to, ...move }: Passage): Promise<{ settled: boolean }> {
    return this.turns.take('settleLeaving', move, async (tx, state) => {
      if (state === 'leaving') return { settled: true };
      for (const hook of this.leaving) if (!(await hook.isSettled(tx, move.user_id))) return { settled: false };
      await setHome(tx, move.user_id, 'leaving', to);
      return { settled: true };
    });
  }

  /** Sends the next rows to the new region. No lock is held meanwhile, since nothing of the company changes here. */
  async handOver({ to, from, ...move }: Passage & { from: CopyCursor | null }): Promise<{ next: CopyCursor | null }> {
    for (let cursor: CopyCursor | undefined = from ?? this.tables.first; cursor; cursor = this.tables.next(cursor)) {
      const { table, after } = cursor;
      const chunk = await this.turns.take('handOver', move, (tx) => this.rows.chunk(move.user_id, { table, after }, tx));
      if (!chunk) continue;
      const rows = await this.sealedFor(to, table, chunk);
      checkSize(table, rows);
      await this.bus.request(REGION.takeRows, { region: to }, { ...move, table, rows });
      return { next: { table, after: chunk.last } };
    }
    return { next: null };
  }

  /** Returns the rows with their stored secrets sealed to the new region alone. */
  private async sealedFor(region: string, name: string, { rows }: Chunk): Promise<string> {
    const table = this.tables.find(name);
    if (table.sealed === undefined) return rows;
    const { public_key } = await this.bus.request(REGION.transferKey, { region }, {});
    return this.transferred.leaving(table, rows, public_key);
  }

  /** Removes the rows, after marking the company as arriving: every reader leaves it out here, and finds it in the new region. */
  finish(move: InTurn): Promise<null> {
    return this.turns.takeInBatches('finishLeaving', move, async (tx, state) => {
      if (state !== 'leaving') return this.rows.removeSome(move.user_id, tx);
      await setHome(tx, move.user_id, 'arriving', null);
      return false;
    });
  }

  stay(move: InTurn): Promise<null> {
    return this.turns.take('stay', move, async (tx) => {
      await setHome(tx, move.user_id, 'here', null);
      return null;
    });
  }
}

function checkSize(table: string, rows: string): void {
  if (Buffer.byteLength(JSON.stringify(rows)) <= MAX_BYTES) return;
  throw new Refusal('request.too_large').because(`A row of ${table} takes more than ${MAX_BYTES} bytes: it cannot be sent`);
}
