import { Inject, Injectable } from '@nestjs/common';
import { FRONT_DOOR } from '@cds/contracts';
import { isOpenRun } from '@cds/domain';
import { CLOCK, type Clock } from '@cds/runtime/clock';
import { count, LOG, type Log } from '@cds/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit, PLATFORM_INITIATOR } from '../audit/index.ts';
import { REGION_DB } from '../databases.ts';
import { PeriodicWorker } from '../periodic-worker.service.ts';
import { FrontDoorRequests, OwnMode, writeIfHome } from '../regions/index.ts';
import { writeLogs } from '../services/index.ts';
import { dataEndsAt, type Lapse } from './data-retention.ts';
import { LOG_KINDS } from './log-kinds.ts';
import { METRICS } from './metrics.ts';
import { lockWithData, removeData } from './retention.store.ts';
import { RunEndings } from './run-endings.service.ts';
import type { RunRow } from './run-row.ts';
import { listParties } from './runs.store.ts';

const EVERY_MS = 5000;
const COMPANIES_AT_ONCE = 200;
const RUNS_AT_ONCE = 50;

/**
 * Deletes the data of runs of companies whose level has had no contract flows for too long. The front door is asked in each round, so that
 * a company that takes the level again in time keeps everything. @spec D2-8
 */
@Injectable()
export class RunRetention extends PeriodicWorker {
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

  async round(): Promise<void> {
    if (this.mode.isPaused()) return;
    for (let after: string | undefined = ''; after !== undefined;) {
      const asked: { after: string; limit: number } = { after, limit: COMPANIES_AT_ONCE };
      const { lapsed } = await this.frontDoor.request(FRONT_DOOR.listLapsed, {}, asked);
      for (const { user_id, without_flows_since, free_since } of lapsed)
        await this.removeOf(user_id, {
          without_flows_since: new Date(without_flows_since),
          free_since: free_since === null ? null : new Date(free_since),
        });
      after = lapsed.length < COMPANIES_AT_ONCE ? undefined : lapsed.at(-1)!.user_id;
    }
  }

  /** Deletes in batches, so that no transaction locks many runs. A company that has begun to move is left to its new region. */
  private async removeOf(company_user_id: string, lapse: Lapse): Promise<void> {
    if (this.clock.now() < dataEndsAt(lapse)) return;
    for (let some = RUNS_AT_ONCE; some === RUNS_AT_ONCE;)
      some = (await writeIfHome(this.db, company_user_id, (tx) => this.removeSome(tx, company_user_id, lapse))) ?? 0;
  }

  private async removeSome(tx: EntityManager, company_user_id: string, { without_flows_since }: Lapse): Promise<number> {
    const runs = await lockWithData(tx, company_user_id, without_flows_since, RUNS_AT_ONCE);
    if (runs.length === 0) return 0;
    for (const run of runs.filter(({ status }) => isOpenRun(status)))
      await this.endings.cancelIn(tx, { run, parties: await listParties(tx, run.run_id) }, 'data_removed');
    await removeData(
      tx,
      runs.map(({ run_id }) => run_id),
      this.clock.now(),
    );
    const details = { count: runs.length };
    await this.audit.record(tx, { act: 'flow_run.data_removed', account_id: company_user_id, initiator: PLATFORM_INITIATOR, details });
    await writeLogs(tx, entriesOf(runs), this.clock.now());
    count(METRICS.removed, {}, runs.length);
    return runs.length;
  }
}

/** Returns one log entry for each service. A deleted service has none, since the data of its runs was deleted with it. */
function entriesOf(runs: readonly RunRow[]) {
  const services = new Map(runs.map(({ company_user_id, service_id }) => [service_id, { company_user_id, service_id }]));
  const message = 'The level has included no contract flows for too long: answers and files of runs were deleted';
  return [...services.values()].map((own) => ({ own, kind: LOG_KINDS.run_data_removed, message }));
}
