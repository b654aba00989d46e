import { Inject, Injectable } from '@nestjs/common';
import { Refusal, SECRET_IDS_AT_ONCE } from '@codase/contracts';
import { LOG, type Log } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PeriodicWorker } from '../../kit/workers/periodic-worker.service.ts';
import { OwnMode, writeIfHome } from '../../foundation/regions/index.ts';
import type { OwnService, ServiceClientEnds } from '../../services/services/index.ts';
import { CurrentCopies } from './current-copies.service.ts';
import { companiesAfter, listCopies, removeCopies, removeCopiesOfClient } from './recovery-copies.store.ts';

const EVERY_MS = 60_000;
const COMPANIES = 100;

/**
 * Deletes copies of secrets that are replaced or deleted. Such copies are never offered; here their rows end. The copies of a service go
 * with it at once, but the front door, which has the secrets of clients, informs nobody of a new one.
 */
@Injectable()
export class EndedCopies extends PeriodicWorker implements ServiceClientEnds {
  private last = '';

  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    @Inject(OwnMode) private readonly mode: Pick<OwnMode, 'isPaused'>,
    private readonly current: CurrentCopies,
    @Inject(LOG) log: Log,
  ) {
    super({ name: 'ended_recovery_copies', everyMs: EVERY_MS, failure: 'recovery copies that have ended could not be deleted' }, log);
  }

  async serviceClientEnds(tx: EntityManager, { company_user_id, service_id }: OwnService): Promise<void> {
    await removeCopiesOfClient(tx, company_user_id, service_id);
  }

  /**
   * Goes on with the next companies, and after the last one with the first. Returns how many copies were deleted. The round fails, when all
   * companies had their turn, if it failed for one.
   */
  async round(): Promise<number> {
    if (this.mode.isPaused()) return 0;
    const companies = await companiesAfter(this.db, this.last, COMPANIES);
    this.last = companies.length < COMPANIES ? '' : companies.at(-1)!;
    let ended = 0;
    const failures: unknown[] = [];
    for (const company_user_id of companies) {
      try {
        ended += await this.endOf(company_user_id);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return ended;
  }

  /** The front door says nothing about a company that is not at home here, such as one that is arriving: its copies stay. */
  private async endOf(company_user_id: string): Promise<number> {
    const ended = await this.endedOf(company_user_id).catch((error: unknown) => {
      if (error instanceof Refusal && error.key === 'region.rebase_required') return [];
      throw error;
    });
    if (ended.length > 0) await writeIfHome(this.db, company_user_id, (tx) => removeCopies(tx, company_user_id, ended));
    return ended.length;
  }

  private async endedOf(company_user_id: string): Promise<string[]> {
    const ended: string[] = [];
    const limit = SECRET_IDS_AT_ONCE - 1;
    let page = await listCopies(this.db, company_user_id, { limit, after: undefined });
    for (; page.length > 0;) {
      const current = new Set(await this.current.among(company_user_id, page));
      ended.push(...page.filter((copy) => !current.has(copy)).map(({ copy_id }) => copy_id));
      if (page.length <= limit) break;
      const { created_at: at, copy_id: id } = page.at(-1)!;
      page = await listCopies(this.db, company_user_id, { limit, after: { at, id } });
    }
    return ended;
  }
}
