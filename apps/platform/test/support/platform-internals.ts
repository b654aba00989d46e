import { REGION, type Holdings } from '@codase/contracts';
import type { Bus } from '@codase/runtime/bus';
import { execute, one, sql, type Sql } from '@codase/runtime/db';
import { eventually, type World } from '@codase/testing';
import type { DataSource, EntityManager } from 'typeorm';
import { lockWaits, type LockKind } from './lock-waits.ts';
import { FRONT_DOOR_ENTITIES, REGION_ENTITIES } from '../../src/capabilities.ts';

const NAMES = ['front_door', 'region_eu', 'region_us'] as const;
type Name = (typeof NAMES)[number];

/** What a region holds of a company that is not there. */
export const EMPTY: Holdings[string] = { rows: 0, digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' };

/** What no caller sees of a move: its step, and what each region holds. */
export class PlatformInternals {
  private constructor(
    private readonly databases: Record<Name, DataSource>,
    private readonly operator: Bus,
  ) {}

  static async open(world: World, names: readonly Name[] = NAMES): Promise<PlatformInternals> {
    const open = (name: Name) => {
      const entities = name === 'front_door' ? FRONT_DOOR_ENTITIES : REGION_ENTITIES;
      return world.opensDatabase(name, { pool: 3, entities });
    };
    const opened = await Promise.all(names.map(async (name) => [name, await open(name)] as const));
    return new PlatformInternals(Object.fromEntries(opened) as Record<Name, DataSource>, await world.operator('platform'));
  }

  database(name: Name): DataSource {
    return this.databases[name];
  }

  /** The present step of a company's move; undefined when the company does not move. */
  async stepOf(user_id: string): Promise<string | undefined> {
    return (await one<{ step: string }>(this.databases.front_door, sql`select step from region_move where user_id = ${user_id}`))?.step;
  }

  /** The region to which the front door sends the company, and the company's home as each region has it. */
  async homesOf(user_id: string): Promise<{ front_door: string; eu: string | undefined; us: string | undefined }> {
    const inProfile = sql`select home from profile where user_id = ${user_id}`;
    const home = async (name: Name) => (await one<{ home: string }>(this.databases[name], inProfile))?.home;
    const account = await one<{ region: string }>(this.databases.front_door, sql`select region from account where user_id = ${user_id}`);
    return { front_door: account!.region, eu: await home('region_eu'), us: await home('region_us') };
  }

  holdings(region: string, user_id: string): Promise<Holdings> {
    return this.operator.request(REGION.holdings, { region }, { user_id });
  }

  /** Waits until a move is at a step, or is over when the step is undefined. */
  async reaches(user_id: string, step: string | undefined, seconds = 120): Promise<void> {
    await until(async () => (await this.stepOf(user_id)) === step, `the move of ${user_id} reaches ${step ?? 'its end'}`, seconds);
  }

  /** Takes a lock that a step needs, so that a test can look around while the step waits. Returns a function that releases the lock. */
  async hold(name: Name, lock: Sql): Promise<() => Promise<void>> {
    const holder = this.databases[name].createQueryRunner();
    await holder.startTransaction();
    await holder.query(lock.text, lock.values);
    return async () => {
      await holder.rollbackTransaction();
      await holder.release();
    };
  }

  /** Waits until a statement waits for a lock, or for one of a kind. */
  async someoneWaits(name: Name, kind: LockKind | null = null): Promise<void> {
    await until(async () => (await lockWaits(this.databases[name], kind)) > 0, `somebody waits in ${name}`);
  }

  /** Writes entries into a service's log, in characters that grow when they are written as JSON. */
  async logs(name: Name, company_user_id: string, service_id: string, size: { entries: number; length: number }): Promise<void> {
    await execute(
      this.databases[name],
      sql`
      insert into service_log (log_id, company_user_id, service_id, at, kind, message)
      select ${service_id} || '_log_' || n, ${company_user_id}, ${service_id}, timestamptz '2026-01-01' + n * interval '1.000001 second',
             'webhook', n || repeat('"ö\\', ${size.length}::integer)
        from generate_series(1, ${size.entries}::integer) n`,
    );
  }
}

/**
 * Runs work in a transaction during which a test also calls services, as no code of ours may. These calls do not know of the transaction.
 */
export async function inOwnTransaction(db: DataSource, work: (tx: EntityManager) => Promise<void>): Promise<void> {
  const runner = db.createQueryRunner();
  await runner.startTransaction();
  try {
    await work(runner.manager);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  } finally {
    await runner.release();
  }
}

/** Waits until the condition holds. */
export async function until(isSo: () => Promise<boolean>, what: string, seconds = 120): Promise<void> {
  await eventually(async () => ((await isSo()) ? true : undefined), { seconds }).catch((cause: unknown) => {
    throw new Error(`in ${seconds} seconds it did not come about that ${what}`, { cause });
  });
}
