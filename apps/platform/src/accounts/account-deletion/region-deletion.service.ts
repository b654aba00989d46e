import { Inject, Injectable } from '@nestjs/common';
import { onBehalfOf } from '@codase/runtime/initiator';
import type { DataSource, EntityManager } from 'typeorm';
import { Audit } from '../../foundation/audit/index.ts';
import { DeletedPersons } from '../../sharing/connect-requests/index.ts';
import { DeletedCustomers } from '../../sharing/connections/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { DeletedDelegates } from '../../sharing/delegates/index.ts';
import { forgetCustomer } from '../../services/feed/index.ts';
import { noteDeletedAccount, removeProfile, takeHome } from '../../foundation/regions/index.ts';
import { removeServicesOf } from '../../services/services/index.ts';

/** Deletes what this region has of an account, whether the account is at home here or elsewhere. It may be repeated. @gap D1-5.8 */
@Injectable()
export class RegionDeletion {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly customers: DeletedCustomers,
    private readonly persons: DeletedPersons,
    private readonly delegates: DeletedDelegates,
    private readonly audit: Audit,
  ) {}

  /**
   * Deletes the profile, the connections, the requests and the delegations of an account. The deletion is noted first: from then on nothing
   * of the account is written here, so no connection can be made meanwhile and be missed.
   */
  delete(user_id: string, deleted_at: Date): Promise<void> {
    return onBehalfOf({ user_id }, async () => {
      await this.db.transaction((tx) => this.deleteProfile(tx, user_id, deleted_at));
      await this.customers.endConnectionsOf(user_id);
      await this.persons.removeRequestsTo(user_id);
      await this.delegates.forget(user_id);
    });
  }

  /** Deletes the profile, with its values, keys, fields and phone events, after the writes of the user that are under way. */
  private async deleteProfile(tx: EntityManager, user_id: string, deleted_at: Date): Promise<void> {
    await takeHome(tx, user_id);
    await noteDeletedAccount(tx, user_id, deleted_at);
    await removeServicesOf(tx, user_id);
    await forgetCustomer(tx, user_id);
    if (await removeProfile(tx, user_id)) await this.audit.record(tx, { act: 'account.deleted', account_id: user_id, object: user_id });
  }
}
