import { Controller, Inject } from '@nestjs/common';
import { companyData, services, type Caller, type Input, type Output } from '@codase/contracts';
import type { Db } from '@codase/runtime/db';
import { Serves } from '@codase/runtime/http';
import { REGION_DB } from '../../kit/databases.ts';
import { pageOf, readCursor } from '../../kit/paging.ts';
import { listLog, type LogRow } from './log.store.ts';
import type { OwnService } from './service-row.ts';
import { findService } from './services.store.ts';

type Paging = Input<typeof companyData.readLogs>['query'];

/** The log of a service, for its owner and for its data client. @spec D1-6.3 @gap D1-4.7 */
@Controller()
export class LogsHttp {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  @Serves(services.readServiceLogs)
  async ofService({ params, query }: Input<typeof services.readServiceLogs>, { company_user_id }: Caller<typeof services.readServiceLogs>) {
    const own = { company_user_id, service_id: params.id };
    await findService(this.db, own);
    return this.page(own, query);
  }

  @Serves(companyData.readLogs)
  ofCaller({ query }: Input<typeof companyData.readLogs>, caller: Caller<typeof companyData.readLogs>) {
    return this.page(caller, query);
  }

  private async page(own: OwnService, { limit, cursor }: Paging): Promise<Output<typeof companyData.readLogs>> {
    const rows = await listLog(this.db, own, { limit, after: readCursor(cursor) });
    const { items, next_cursor } = pageOf(rows, limit, ({ at, log_id }) => ({ at, id: log_id }));
    return { items: items.map(presentLogEntry), next_cursor };
  }
}

const presentLogEntry = ({ log_id, at, ...row }: LogRow) => ({ ...row, id: log_id, at: at.toISOString() });
