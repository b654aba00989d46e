import { execute, many, one, prepared, sql, type Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * The state of a user in a region that holds its rows. `settling`: the user begins to leave. Nothing new is begun, but the results of
 * deliveries that were under way are still written down. `leaving` and `arriving` are the states in the old and the new region while the
 * rows are copied: nothing is written. After the flip, when the new region has all rows, it marks the user as `leaving`, and the old
 * region marks the user as `arriving` until it has removed the rows. A region may have only some rows of a user who is arriving, so it does
 * not show them, or asks the front door where the user lives. @gap D1-5.6
 */
export type HomeState = 'here' | 'settling' | 'leaving' | 'arriving';

/** The states of a company in which the result of a delivery that was begun at home is still written down. @gap D1-5.6 */
export const DELIVERY_STATES: readonly HomeState[] = ['here', 'settling'];

/**
 * The class of the home lock. Every write of rows of a user shares the lock until its transaction ends, and a move takes it exclusively. So
 * a move waits for the writes that are under way, and no row is written after it was copied. The database functions `hold_home` and
 * `hold_homes` use the same class.
 */
export const HOME_LOCK = 0x686f6d65;

/** Returns the state of a user; undefined when the region has no rows of the user. */
export const homeStateOf = async (db: Db, user_id: string): Promise<HomeState | undefined> =>
  (await one<{ home: HomeState }>(db, prepared('home_state', sql`select home from profile where user_id = ${user_id}`)))?.home;

/**
 * Shares the home lock, and then reads the state of the user, so that the result of a move that held the lock before is seen. It does not
 * wait while a step of a move has the lock, or waits for it: a user who is at home is `settling` meanwhile, and nothing is written. For a
 * user who is arriving it waits for the step.
 */
export const holdHome = async (tx: EntityManager, user_id: string): Promise<HomeState | undefined> =>
  (await one<{ home: HomeState | null }>(tx, prepared('home_hold', sql`select hold_home(${user_id}) as home`)))?.home ?? undefined;

/** Whether the move of a user to this region goes on, after the step that is under way: that step may open the region for the user. */
export const isStillArriving = (db: DataSource, user_id: string): Promise<boolean> =>
  db.transaction(async (tx) => (await holdHome(tx, user_id)) === 'arriving');

/** Takes the home lock exclusively, for a step of a move: after the writes that are under way. Nobody who comes meanwhile waits for it. */
export const takeHome = (tx: EntityManager, user_id: string) =>
  one(tx, sql`select pg_advisory_xact_lock(${HOME_LOCK}, hashtext(${user_id}))`);

/** Shares the home locks of those users who are in one of these states, without waiting for any lock. Returns the ids of these users. */
export async function tryHoldHomes(
  tx: EntityManager,
  user_ids: readonly string[],
  states: readonly HomeState[] = ['here'],
): Promise<ReadonlySet<string>> {
  const locked = await many<{ user_id: string }>(tx, sql`select user_id from hold_homes(${[...new Set(user_ids)]}, ${states}) user_id`);
  return new Set(locked.map(({ user_id }) => user_id));
}

/**
 * Writes rows of a user who is at home. Returns undefined, with nothing written, when the user is moving or lives elsewhere, or a step of a
 * move is under way.
 */
export const writeIfHome = <T>(db: DataSource, user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> =>
  db.transaction(async (tx) => ((await holdHome(tx, user_id)) === 'here' ? work(tx) : undefined));

/** Sets the state of a user in this region, in a step of a move. The home lock is taken exclusively. */
export const setHome = (tx: EntityManager, user_id: string, home: HomeState, moving_to: string | null) =>
  execute(tx, sql`update profile set home = ${home}, moving_to = ${moving_to} where user_id = ${user_id}`);

/** Returns the number of the last step of a move that was noted; undefined when there is none. */
export const notedMoveTurn = async (tx: EntityManager, user_id: string): Promise<number | undefined> =>
  (await one<{ turn: number }>(tx, sql`select turn from move_turn where user_id = ${user_id}`))?.turn;

/** Notes a step of a move by its number. Returns false when a later step was already noted, so that this one has no effect. */
export const noteMoveTurn = async (tx: EntityManager, user_id: string, turn: number): Promise<boolean> =>
  (await one(
    tx,
    sql`
    insert into move_turn (user_id, turn) values (${user_id}, ${turn})
    on conflict (user_id) do update set turn = excluded.turn where move_turn.turn <= excluded.turn
    returning turn`,
  )) !== undefined;
