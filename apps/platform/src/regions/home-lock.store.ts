import { many, one, prepared, sql, type Db } from '@cds/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';

/**
 * What a user is to a region that holds its rows. `settling`: it begins to leave, nothing new is begun, and how deliveries ended that were
 * under way is still written down. `leaving` and `arriving` are the two ends of a copy: nothing is written. @gap D1-5.6
 */
export type HomeState = 'here' | 'settling' | 'leaving' | 'arriving';

/** In which states of its company it is written down how a delivery ended that was begun at home. @gap D1-5.6 */
export const DELIVERY_STATES: readonly HomeState[] = ['here', 'settling'];

/**
 * The home lock of a user: every write of the user's rows shares it until its transaction ends, and a move takes it alone. So a move waits
 * for the writes that are under way, and nothing is written behind its copy. The functions `hold_home` and `hold_homes` of the database
 * know the class too.
 */
export const HOME_LOCK = 0x686f6d65;

/** Undefined where the region holds nothing of the user. */
export const homeStateOf = async (db: Db, user_id: string): Promise<HomeState | undefined> =>
  (await one<{ home: HomeState }>(db, prepared('home_state', sql`select home from profile where user_id = ${user_id}`)))?.home;

/** Shares the lock, and then reads the state, which is what a move left that held it before. */
export const holdHome = async (tx: EntityManager, user_id: string): Promise<HomeState | undefined> =>
  (await one<{ home: HomeState | null }>(tx, prepared('home_hold', sql`select hold_home(${user_id}) as home`)))?.home ?? undefined;

/** Takes the lock alone, for a step of a move. */
export const takeHome = (tx: EntityManager, user_id: string) =>
  one(tx, sql`select pg_advisory_xact_lock(${HOME_LOCK}, hashtext(${user_id}))`);

/** Shares the locks of those users who are in one of these states, without waiting for anybody. Answers who they are. */
export async function tryHoldHomes(
  tx: EntityManager,
  user_ids: readonly string[],
  states: readonly HomeState[] = ['here'],
): Promise<ReadonlySet<string>> {
  const held = await many<{ user_id: string }>(tx, sql`select user_id from hold_homes(${[...new Set(user_ids)]}, ${states}) user_id`);
  return new Set(held.map(({ user_id }) => user_id));
}

/** Writes rows of a user who is at home; undefined, with nothing written, where the user moves or lives elsewhere. */
export const writeIfHome = <T>(db: DataSource, user_id: string, work: (tx: EntityManager) => Promise<T>): Promise<T | undefined> =>
  db.transaction(async (tx) => ((await holdHome(tx, user_id)) === 'here' ? work(tx) : undefined));

/** What a step of a move makes of the user here; the lock is taken. */
export const setHome = (tx: EntityManager, user_id: string, home: HomeState, moving_to: string | null) =>
  many(tx, sql`update profile set home = ${home}, moving_to = ${moving_to} where user_id = ${user_id}`);

/** Notes a step of a move by its turn; false where a later step was already noted, so that this one comes to nothing. */
export const noteMoveTurn = async (tx: EntityManager, user_id: string, turn: number): Promise<boolean> =>
  (await one(
    tx,
    sql`
    insert into move_turn (user_id, turn) values (${user_id}, ${turn})
    on conflict (user_id) do update set turn = excluded.turn where move_turn.turn <= excluded.turn
    returning turn`,
  )) !== undefined;
