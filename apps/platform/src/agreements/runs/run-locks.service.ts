import { Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { together, type Db } from '@codase/runtime/db';
import type { EntityManager } from 'typeorm';
import { LOCK_WAIT_MS, unavailableWhenLocked, type ConnectionRow } from '../../sharing/connections/index.ts';
import { Home, unknownDeletions } from '../../foundation/regions/index.ts';
import { RunReader } from './run-reader.service.ts';
import { usersOf, type PartyRow, type PlayedRun, type RunRow } from './run-row.ts';
import type { LockedRows } from './runs.store.ts';

/** How a run is found for its caller. The run of another caller is not found, like a run that does not exist. */
export interface FindRun {
  read(db: Db): Promise<RunRow | undefined>;
  /** Locks the run to write it: see `TargetRun`. */
  lock(tx: EntityManager, waitMs: number): LockedRows;
}

/** A run that is locked, with the connections of its parties. */
export interface LockedRun extends PlayedRun {
  connections: readonly ConnectionRow[];
  service_key: string | null;
  hasDeletedParty: boolean;
}

/** Locks runs of companies that live here before they are written, so that only one of several simultaneous turns is taken. */
@Injectable()
export class RunLocks {
  constructor(
    private readonly home: Home,
    private readonly reading: RunReader,
  ) {}

  /**
   * Does the work with the run locked. The connections are locked before the run, since ending a connection locks it first too. All locks
   * are requested together with the begin of the transaction. After `withinMs` the work is rolled back: the region that asked has given up
   * by then, and has answered its caller that the call failed.
   */
  async locked<T>(find: FindRun, withinMs: number, work: (tx: EntityManager, locked: LockedRun) => Promise<T>): Promise<T> {
    const deadline = performance.now() + withinMs;
    const lock = (tx: EntityManager) => {
      const { target, connections, run } = find.lock(tx, LOCK_WAIT_MS);
      return together([target, connections, run]);
    };
    const done = this.home.transactionFrom(lock, async (tx, [target, connections, locked]) => {
      if (!target) throw new Refusal('flows.run_not_found');
      this.home.checkHomeState(target.company_user_id, target.home);
      if (!locked) throw new Refusal('flows.run_not_found');
      const { has_deleted: hasDeletedParty, ...run } = locked;
      const played = await this.reading.played(tx, run, target.parties);
      const result = await work(tx, { ...played, connections, service_key: target.service_key, hasDeletedParty });
      checkDeadline(deadline);
      return result;
    });
    return done.catch((error: unknown) => {
      throw unavailableWhenLocked(error);
    });
  }
}

/** Refuses when the region that asked has given up by now, at a deadline in the time of `performance.now()`. */
export function checkDeadline(deadline: number): void {
  if (performance.now() > deadline) throw new Refusal('service.unavailable');
}

/** Whether one of the users who take part has deleted the account. @spec D2-7 */
export async function hasDeletedAccount(db: Db, parties: readonly PartyRow[]): Promise<boolean> {
  const users = usersOf(parties);
  return (await unknownDeletions(db, users)).length < users.length;
}
