import { Injectable } from '@nestjs/common';
import { Refusal } from '@cds/contracts';
import { together, type Db } from '@cds/runtime/db';
import type { EntityManager } from 'typeorm';
import { LOCK_WAIT_MS, lockConnections, unavailableWhenHeldUp, type ConnectionRow } from '../connections/index.ts';
import { Home, unknownDeletions } from '../regions/index.ts';
import { RunReading } from './reading.service.ts';
import { isCustomer, usersOf, type HeldRun, type PartyRow, type PlayedRun, type RunRow } from './run-row.ts';
import { lockRun } from './runs.store.ts';

/** How the run is looked for that somebody wants to write: another's is not found, like one that is not there. */
export interface FindRun {
  read(db: Db): Promise<RunRow | undefined>;
  /** To write it: see `HeldRun`. */
  hold(tx: EntityManager, waitMs: number): Promise<HeldRun | undefined>;
}

/** A run that is locked, with the connections of its parties. */
export interface LockedRun extends PlayedRun {
  connections: readonly ConnectionRow[];
  service_key: string | null;
  hasDeletedParty: boolean;
}

/** Runs of companies that live here, locked for whoever writes them: of those who take one turn at once one is first. */
@Injectable()
export class RunLocking {
  constructor(
    private readonly home: Home,
    private readonly reading: RunReading,
  ) {}

  /**
   * With the run locked, after its connections: whoever ends one of them locks it first too. It is taken back when whoever asks has given
   * up on it, since the caller is told that it failed.
   */
  async locked<T>(find: FindRun, withinMs: number, work: (tx: EntityManager, locked: LockedRun) => Promise<T>): Promise<T> {
    const deadline = performance.now() + withinMs;
    const done = this.home.transaction(async (tx) => {
      const held = await find.hold(tx, LOCK_WAIT_MS);
      if (!held) throw new Refusal('flows.run_not_found');
      this.home.checkHeld(held.company_user_id, held.home);
      const { run_id, parties, service_key } = held;
      const [connections, locked] = await together([lockConnections(tx, connectionsOf(held)), lockRun(tx, run_id, usersOf(parties))]);
      if (!locked) throw new Refusal('flows.run_not_found');
      const { has_deleted: hasDeletedParty, ...run } = locked;
      const played = await this.reading.played(tx, run, parties);
      const result = await work(tx, { ...played, connections, service_key, hasDeletedParty });
      if (performance.now() > deadline) throw new Refusal('service.unavailable');
      return result;
    });
    return done.catch((error: unknown) => {
      throw unavailableWhenHeldUp(error);
    });
  }
}

const connectionsOf = ({ service_id, parties }: HeldRun) =>
  parties.filter(isCustomer).map(({ connection_id }) => ({ service_id, connection_id }));

/** Whether somebody who takes part has deleted the account. @spec D2-7 */
export async function hasDeletedAccount(db: Db, parties: readonly PartyRow[]): Promise<boolean> {
  const users = usersOf(parties);
  return (await unknownDeletions(db, users)).length < users.length;
}
