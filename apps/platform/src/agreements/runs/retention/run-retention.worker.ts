import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@codase/contracts';
import { isOpenRun } from '@codase/domain';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { ReplyOf } from '@codase/runtime/nest-bus';
import { count, LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit, PLATFORM_INITIATOR } from '../../../foundation/audit/index.ts';
import { REGION_DB } from '../../../kit/databases.ts';
import { PeriodicWorker } from '../../../kit/workers/periodic-worker.service.ts';
import { FrontDoorRequests, OwnMode, writeIfHome } from '../../../foundation/regions/index.ts';
import { writeLogs } from '../../../services/services/index.ts';
import { dataEndsAt, type CompanyLapse } from './data-retention.ts';
import { METRICS } from '../metrics.ts';
import { listWithData, lockWithData, removeData } from './retention.store.ts';
import { bound, idsOf, RunEndings } from '../run-endings.service.ts';
import type { RunRow } from '../run-row.ts';
import { logKinds } from '../../../kit/log-kinds.ts';

/** The kinds of log entries about what happens to the runs of a service without its doing. @gap D1-4.7 */
export const LOG_KINDS = logKinds('run_data_removed');

const EVERY_MS = 5000;
/** How often the front door is asked. Data is deleted days after a level was lost, so some minutes more do not matter. */
const ASK_EVERY_MS = 10 * 60 * 1000;
const COMPANIES_AT_ONCE = 200;
const RUNS_AT_ONCE = 50;

/** Deletes data of runs of companies that had no contract flows for too long, as the front door says each time. @spec D2-8 */
@Injectable()
export class RunRetention extends PeriodicWorker {
  private askAt = 0;

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly frontDoor: FrontDoorRequests,
    private readonly endings: RunEndings,
    private readonly audit: Audit,
    private readonly mode: OwnMode,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'run_retention', everyMs: EVERY_MS, failure: 'data of runs that are kept no longer could not be deleted' }, log);
  }

  /** A company whose data cannot be deleted does not keep the others: the round fails at its end, and all is tried again. */
  async round(): Promise<void> {
    const now = this.clock.now().getTime();
    if (this.mode.isPaused() || now < this.askAt) return;
    const failures: unknown[] = [];
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: { after: string; limit: number } = { after, limit: COMPANIES_AT_ONCE };
      const { lapsed } = await this.frontDoor.request(FRONT_DOOR.listLapsed, {}, page);
      failures.push(...(await this.removeOfAll(lapsed.map(lapseOf))));
      after = lapsed.length < COMPANIES_AT_ONCE ? undefined : lapsed.at(-1)!.user_id;
    }
    if (failures.length > 0) throw failures[0];
    this.askAt = now + ASK_EVERY_MS;
  }

  /** Opens transactions only for companies that still have data to delete: most have none. Returns the errors of those that failed. */
  private async removeOfAll(lapses: readonly CompanyLapse[]): Promise<unknown[]> {
    const due = lapses.filter((lapse) => this.clock.now() >= dataEndsAt(lapse));
    const left = due.length > 0 ? await listWithData(this.db, due) : [];
    const failures: unknown[] = [];
    for (const lapse of due)
      if (left.includes(lapse.company_user_id)) await this.removeOf(lapse).catch((error: unknown) => failures.push(error));
    return failures;
  }

  /** Deletes in batches, so that no transaction locks many runs. A company that has begun to move is left to its new region. */
  private async removeOf(lapse: CompanyLapse): Promise<void> {
    for (let some = RUNS_AT_ONCE; some === RUNS_AT_ONCE;)
      some = (await writeIfHome(this.db, lapse.company_user_id, (tx) => this.removeSome(tx, lapse))) ?? 0;
  }

  private async removeSome(tx: EntityManager, { company_user_id, without_flows_since }: CompanyLapse): Promise<number> {
    const runs = await lockWithData(tx, company_user_id, without_flows_since, RUNS_AT_ONCE);
    if (runs.length === 0) return 0;
    const open = runs.filter(({ status }) => isOpenRun(status));
    await this.endings.cancelIn(tx, await bound(tx, open), 'data_removed');
    await removeData(tx, idsOf(runs), this.clock.now());
    const details = { count: runs.length };
    await this.audit.record(tx, { act: 'flow_run.data_removed', account_id: company_user_id, initiator: PLATFORM_INITIATOR, details });
    await writeLogs(tx, entriesOf(runs), this.clock.now());
    count(METRICS.removed, {}, runs.length);
    return runs.length;
  }
}

const lapseOf = ({ user_id, without_flows_since, free_since }: ReplyOf<typeof FRONT_DOOR.listLapsed>['lapsed'][number]): CompanyLapse => ({
  company_user_id: user_id,
  without_flows_since: new Date(without_flows_since),
  free_since: free_since === null ? null : new Date(free_since),
});

/** Returns one log entry for each service. A deleted service has none, since the data of its runs was deleted with it. */
function entriesOf(runs: readonly RunRow[]) {
  const services = new Map(runs.map(({ company_user_id, service_id }) => [service_id, { company_user_id, service_id }]));
  const message = 'The level has included no contract flows for too long: answers and files of runs were deleted';
  return [...services.values()].map((own) => ({ own, kind: LOG_KINDS.run_data_removed, message }));
}
