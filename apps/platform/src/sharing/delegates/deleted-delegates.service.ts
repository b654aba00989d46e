import { Inject, Injectable } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import type { CompanyArrives } from '../../storage/moves/index.ts';
import { Home, homeStateOf, isStillArriving } from '../../foundation/regions/index.ts';
import { listCompaniesOfDelegate, removeDelegate, removeDeletedDelegates } from './delegates.store.ts';
import { listNotedUsers, removeNote, removeNotesOfDeleted } from './delegating-companies.store.ts';
import type { DelegateEntity } from './delegate.entity.ts';

/** Ends what accounts that were deleted had to do with delegations. @gap D1-5.8 */
@Injectable()
export class DeletedDelegates implements CompanyArrives {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly audit: Audit,
  ) {}

  /**
   * Ends the delegations to a user whose account was deleted, and forgets the user as a company with delegates. When a company is about to
   * leave, the write is refused and the caller tries again. What belongs to a company that is arriving is deleted when it has arrived.
   */
  async forget(user_id: string): Promise<void> {
    for (const { company_user_id, delegate_id } of await listCompaniesOfDelegate(this.db, user_id)) {
      await this.writeUnlessArriving(company_user_id, async (tx) => {
        const removed = await removeDelegate(tx, company_user_id, delegate_id);
        if (removed) await this.record(tx, [removed]);
      });
    }
    for (const noted of await listNotedUsers(this.db, user_id))
      await this.writeUnlessArriving(noted, (tx) => removeNote(tx, noted, user_id));
  }

  /** Ends delegations to users who were deleted while the company was on its way, and notes of companies that were. */
  async companyArrives(tx: EntityManager, company_user_id: string): Promise<void> {
    await this.record(tx, await removeDeletedDelegates(tx, company_user_id));
    await removeNotesOfDeleted(tx, company_user_id);
  }

  private async writeUnlessArriving(user_id: string, work: (tx: EntityManager) => Promise<unknown>): Promise<void> {
    if ((await homeStateOf(this.db, user_id)) === 'arriving' && (await isStillArriving(this.db, user_id))) return;
    await this.home.write(user_id, work);
  }

  private record(tx: EntityManager, removed: readonly DelegateEntity[]): Promise<void> {
    return this.audit.recordAll(
      tx,
      removed.map(({ company_user_id: account_id, delegate_id: object, delegate_user_id: user_id }) => ({
        act: 'delegate.left' as const,
        account_id,
        object,
        details: { user_id },
      })),
    );
  }
}
