import { Inject, Injectable } from '@nestjs/common';
import { CLIENT_ASSERTION } from '@codase/contracts';
import { hasRow, type Db } from '@codase/runtime/db';
import type { UsedAssertion } from './client-assertion.ts';

/** The database of this base: that of the front door, or of the region. */
export const ASSERTIONS_DB = Symbol('database of used assertions');
/** How many expired rows each use deletes: more than it adds, so that the table stays as small as what counts. */
const DELETED = 20;

/** The assertions that clients have used at this base, in its database, so that replicas know them all. @gap D1-5.2 */
@Injectable()
export class UsedAssertions {
  constructor(@Inject(ASSERTIONS_DB) private readonly db: Db) {}

  /** Records that an assertion is used. Returns false when it was used before, or when the client has too many that still count. */
  use({ client_id, jti_hash, expires_at }: UsedAssertion, now: Date): Promise<boolean> {
    return hasRow(this.db)`
      with expired as (
        delete from used_assertion where ctid in
          (select ctid from used_assertion where expires_at <= ${now} limit ${DELETED} for update skip locked))
      insert into used_assertion (client_id, jti_hash, expires_at)
      select ${client_id}, ${jti_hash}, ${expires_at}
       where (select count(*) from used_assertion where client_id = ${client_id} and expires_at > ${now}) < ${CLIENT_ASSERTION.live}
      on conflict do nothing
      returning client_id`;
  }
}
