import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '@codase/contracts';
import { isOpenRun, move, phaseOf, RUN } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import { count } from '@codase/runtime/telemetry';
import type { EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { lockCopies, RunCopies, type RunDocument } from '../documents/index.ts';
import type { ConnectionEnds, ConnectionRow } from '../../sharing/connections/index.ts';
import type { CustomerNotices, OwnService } from '../../services/services/index.ts';
import { RunAnnouncer } from './run-announcer.service.ts';
import { removeInputs } from './documents/inputs.store.ts';
import { METRICS } from './metrics.ts';
import { cancelRuns, lockOfService, removeData, removeStaged } from './retention/retention.store.ts';
import { RunLocks, type FindRun } from './run-locks.service.ts';
import { counterpartyOf, type BoundRun, type RunRow } from './run-row.ts';
import { listParties, lockOpenOfConnection, moveRun } from './runs.store.ts';
import { checkCounterparty } from './turns/turn-checks.ts';

/** How many runs of a deleted service one transaction ends. */
const AT_ONCE = 100;

type Reason = 'cancelled' | 'connection_ended' | 'data_removed' | 'declined' | 'document_cancelled';

/** Ends runs before they are completed: because the company cancels them, or something ends that they need. @spec D2-3 */
@Injectable()
export class RunEndings implements ConnectionEnds, CustomerNotices {
  constructor(
    private readonly locking: RunLocks,
    private readonly announcing: RunAnnouncer,
    private readonly copies: RunCopies,
    private readonly audit: Audit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Cancels a run in any open state, no matter whose turn it is. @spec D2-3 */
  async cancel(find: FindRun): Promise<RunRow> {
    return this.locking.locked(find, Infinity, async (tx, locked) => {
      checkCounterparty(locked);
      if (!move(RUN, phaseOf(locked.run.status), 'cancel')) throw new Refusal('flows.run_not_awaiting').because('The run is over already');
      return (await this.cancelIn(tx, [locked], 'cancelled'))[0]!;
    });
  }

  /** Cancels the open runs of a connection, since its customer can no longer answer or sign. The connection is locked. @gap D2-3 */
  async connectionEnds(tx: EntityManager, { connection_id }: ConnectionRow): Promise<void> {
    await this.cancelIn(tx, await bound(tx, await lockOpenOfConnection(tx, connection_id)), 'connection_ended');
  }

  /** Ends some runs of the service. Customers hear that their connections have ended, so no run is announced to them. @spec D2-8 */
  async serviceEnds(tx: EntityManager, own: OwnService, at: Date): Promise<number> {
    const runs = await lockOfService(tx, own, AT_ONCE);
    const open = runs.filter(({ status }) => isOpenRun(status));
    await cancelRuns(tx, idsOf(open));
    await this.endCopies(tx, await bound(tx, open), at, { isServiceGone: true });
    await removeData(tx, idsOf(runs), at);
    await removeStaged(tx, own);
    count(METRICS.ended, { 'codase.outcome': 'cancelled' }, open.length);
    count(METRICS.removed, {}, runs.length);
    return runs.length;
  }

  async moreIsRequired(): Promise<void> {
    // Nothing to do: runs ask only what their definition says.
  }

  /** Ends locked open runs, with what was uploaded to generate documents. All are announced at once: persons are locked in one order. */
  async cancelIn(tx: EntityManager, ending: readonly BoundRun[], reason: Reason, declined?: RunDocument): Promise<RunRow[]> {
    const ended = ending.map(({ run, parties }) => ({ run: { ...run, status: 'cancelled' as const, current_node: null }, parties }));
    for (const { run } of ended) {
      await moveRun(tx, run.run_id, run);
      const { company_user_id: account_id, run_id: object } = run;
      await this.audit.record(tx, { act: 'flow_run.cancelled', account_id, object, details: { reason } });
    }
    const generating = ending.filter(({ run }) => run.status === 'generating').map(({ run }) => run.run_id);
    if (generating.length > 0) await removeInputs(tx, generating);
    await this.endCopies(tx, ending, this.clock.now(), { declined });
    await this.announcing.announceCancelled(tx, ended, this.clock.now());
    count(METRICS.ended, { 'codase.outcome': 'cancelled' }, ended.length);
    return ended.map(({ run }) => run);
  }

  /** Ends the copies that are open or wait. Only runs whose documents were generated have copies. @spec D2-3 */
  private async endCopies(tx: EntityManager, ending: readonly BoundRun[], now: Date, options: EndingOptions): Promise<void> {
    const signing = ending.filter(({ run }) => run.status === 'awaiting_signature');
    if (signing.length === 0) return;
    const runs = signing.map(({ run }) => run);
    const copies = await lockCopies(tx, idsOf(runs));
    const aboutOf = (run_id: string) => counterpartyOf(signing.find(({ run }) => run.run_id === run_id)!.parties);
    await this.copies.end(tx, copies, { ...options, aboutOf, now });
  }
}

interface EndingOptions {
  /** The copy whose party has ended the run. */
  declined?: RunDocument | undefined;
  /** Whether the service is being deleted, so that nobody reads its events. */
  isServiceGone?: boolean;
}

/** Returns runs with their parties. */
export async function bound(db: Db, runs: readonly RunRow[]): Promise<BoundRun[]> {
  const found: BoundRun[] = [];
  for (const run of runs) found.push({ run, parties: await listParties(db, run.run_id) });
  return found;
}

export const idsOf = (runs: readonly RunRow[]): string[] => runs.map(({ run_id }) => run_id);
