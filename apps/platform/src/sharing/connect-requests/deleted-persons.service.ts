import { Inject, Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import type { CompanyArrives } from '../../storage/moves/index.ts';
import { Home, isStillArriving } from '../../foundation/regions/index.ts';
import { listAskingCompanies, removeRequestsTo, removeRequestsToDeleted } from './requests.store.ts';

/** Deletes the requests to persons whose account was deleted. @gap D1-5.8 */
@Injectable()
export class DeletedPersons implements CompanyArrives {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
  ) {}

  /**
   * Deletes the requests to a person. When a company is about to leave, the write is refused and the caller tries again. When a company is
   * arriving, its requests are deleted when it has arrived.
   */
  async removeRequestsTo(person_user_id: string): Promise<void> {
    for (const { company_user_id, home } of await listAskingCompanies(this.db, person_user_id)) {
      if (home === 'arriving' && (await isStillArriving(this.db, company_user_id))) continue;
      await this.home.write(company_user_id, (tx) => removeRequestsTo(tx, company_user_id, person_user_id));
    }
  }

  /** Deletes requests to deleted persons: the rows of the company may bring back what was deleted here while the company was on its way. */
  async companyArrives(tx: EntityManager, company_user_id: string): Promise<void> {
    await removeRequestsToDeleted(tx, company_user_id);
  }
}
