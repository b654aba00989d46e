import { Inject, Injectable } from '@nestjs/common';
import { execute, many, one, type Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit, PLATFORM_INITIATOR } from '../../foundation/audit/index.ts';
import { FRONT_DOOR_DB } from '../../kit/databases.ts';
import { AccountsStore } from '../../access/identity/index.ts';
import { STEPS, type Step } from './step-table.ts';
import { RegionMoveEntity } from './region-move.entity.ts';

/** A move that is under way, as a front door works on it. */
export type Move = Omit<RegionMoveEntity, 'started_at' | 'due_at'>;

/** What a front door sees of a move before it works on it. */
interface SeenMove {
  user_id: string;
  is_due: boolean;
  /** Whether the company may be closed for writes: the move has begun, and was not given up. */
  is_closed: boolean;
}

/** How many turns are left out after a restore: more than the regions can have seen since the copy was made. */
const SKIPPED_TURNS = 1_000_000;

/** The class of the advisory locks by which one front door works on a move alone. */
const MOVE_LOCK = 0x6d6f7665;

/** Stores the moves that are under way, at most one for each company. */
@Injectable()
export class MovesStore {
  constructor(
    @Inject(FRONT_DOOR_DB) private readonly db: DataSource,
    private readonly accounts: AccountsStore,
    private readonly audit: Audit,
  ) {}

  /** Stores a new move, and returns the region that is left; undefined when the company is moving already or lives in `to`. */
  begin(user_id: string, to: string, now: Date): Promise<string | undefined> {
    return this.db.transaction(async (tx) => {
      const company = await this.accounts.lockCompany(user_id, tx);
      if (!company || company.region === to) return undefined;
      const begun = await one<{ from_region: string }>(tx)`
        insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
        values (${user_id}, ${company.region}, ${to}, 'pausing', ${now}, ${now})
        on conflict (user_id) do nothing
        returning from_region`;
      if (!begun) return undefined;
      const details = { region: begun.from_region, to_region: to };
      await this.audit.record(tx, { act: 'move.begun', account_id: user_id, object: user_id, details });
      return begun.from_region;
    });
  }

  isMoving(user_id: string, tx: Db): Promise<boolean> {
    return tx.getRepository(RegionMoveEntity).existsBy({ user_id });
  }

  /** Returns the moves with the earliest due times. Those whose companies may be closed for writes come first. */
  first(now: Date, limit: number): Promise<SeenMove[]> {
    return many<SeenMove>(this.db)`
      select user_id, due_at <= ${now} as is_due, step <> 'forgetting' and (step <> 'pausing' or turn > 0) as is_closed
        from region_move order by is_closed desc, due_at limit ${limit}`;
  }

  /**
   * Takes the lock by which this front door alone works on a move. Returns the function that releases it; undefined when another front door
   * has it. The lock belongs to a database connection, so a process that dies releases it at once. A process that only lost its connection
   * may still be at work; then another front door takes a later turn.
   */
  async hold(user_id: string): Promise<(() => Promise<void>) | undefined> {
    const holder = this.db.createQueryRunner();
    const lock = [MOVE_LOCK, user_id];
    const take = async () => {
      const [mine] = (await holder.query('select pg_try_advisory_lock($1, hashtext($2)) as locked', lock)) as [{ locked: boolean }];
      return mine.locked;
    };
    const isMine = await take().catch(async (error: unknown) => {
      await holder.release();
      throw error;
    });
    if (isMine) return () => holder.query('select pg_advisory_unlock($1, hashtext($2))', lock).finally(() => holder.release());
    await holder.release();
    return undefined;
  }

  /** Begins an attempt at the move's step, if it is due, with the highest turn so far. */
  takeTurn(user_id: string, now: Date): Promise<Move | undefined> {
    return one<Move>(this.db)`
      update region_move set turn = nextval('region_move_turn'), attempts = attempts + 1
       where user_id = ${user_id} and due_at <= ${now}
      returning user_id, from_region, to_region, step, attempts, turn`;
  }

  /** Records that the step is done. Returns false when another front door has taken a later turn. */
  async advance({ user_id, turn, step }: Move, now: Date, db: Db = this.db): Promise<boolean> {
    const { next } = STEPS[step];
    const isMine = next === 'done' ? await this.end({ user_id, turn }, db) : await this.stand({ user_id, turn }, next, 0, now, db);
    return isMine !== undefined;
  }

  /** Records that the step failed: which step comes next, and when. */
  async setBack(move: Move, next: { step: Step; due: Date }): Promise<void> {
    const attempts = next.step === move.step ? move.attempts : 0;
    await this.db.transaction(async (tx) => {
      const isMine = await this.stand(move, next.step, attempts, next.due, tx);
      if (isMine && next.step === 'returning' && move.step !== 'returning') await this.recordStep(tx, 'move.returned', move);
    });
  }

  /** Records a step in the audit. Its initiator is the platform, because no user asks for the steps of a move. */
  async recordStep(tx: EntityManager, act: 'move.flipped' | 'move.returned', { user_id, from_region, to_region }: Move): Promise<void> {
    const details = { region: from_region, to_region };
    await this.audit.record(tx, { act, account_id: user_id, object: user_id, details, initiator: PLATFORM_INITIATOR });
  }

  private end({ user_id, turn }: Pick<Move, 'user_id' | 'turn'>, db: Db) {
    return one(db)`delete from region_move where user_id = ${user_id} and turn = ${turn} returning turn`;
  }

  private stand({ user_id, turn }: Pick<Move, 'user_id' | 'turn'>, step: Step, attempts: number, due: Date, db: Db) {
    return one(db)`
      update region_move set step = ${step}, attempts = ${attempts}, due_at = ${due}
       where user_id = ${user_id} and turn = ${turn}
      returning turn`;
  }
}

/** A company that lives in another region than an older copy of the database says. */
type MovedCompany = Pick<Move, 'user_id' | 'from_region' | 'to_region'>;

/**
 * Reconciles the moves of an older copy of the database. When a company lives in its new region by now, its move has flipped, but it may
 * not have ended. So the steps after the flip are taken once more: they can be repeated, also when the move has ended. `moved` are the
 * companies that the copy has in an earlier region. Later turns are higher than those that the regions have already seen, so that the
 * regions do not refuse them as late.
 */
export async function reconcileMoves(
  tx: Db,
  { moved, regionOf, now }: { moved: readonly MovedCompany[]; regionOf: (user_id: string) => Promise<string | undefined>; now: Date },
): Promise<void> {
  const stored = await tx.getRepository(RegionMoveEntity).find();
  const known = new Map<string, MovedCompany>([...stored, ...moved].map((move) => [move.user_id, move]));
  for (const move of known.values()) if ((await regionOf(move.user_id)) === move.to_region) await finishAgain(tx, move, now);
  await execute(tx)`select max(nextval('region_move_turn')) from generate_series(1, ${SKIPPED_TURNS}::integer)`;
}

const finishAgain = (tx: Db, { user_id, from_region, to_region }: MovedCompany, now: Date) => execute(tx)`
  insert into region_move (user_id, from_region, to_region, step, started_at, due_at)
  values (${user_id}, ${from_region}, ${to_region}, 'leaving', ${now}, ${now})
  on conflict (user_id) do update
     set from_region = excluded.from_region, to_region = excluded.to_region, step = excluded.step, attempts = 0,
         due_at = excluded.due_at`;
