import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type REGION } from '@cds/contracts';
import type { Db } from '@cds/runtime/db';
import type { MessageOf } from '@cds/runtime/nest-bus';
import { REGION_DB } from '../databases.ts';
import { findProfile, Home } from '../regions/index.ts';
import { findService } from '../services/index.ts';
import { findConnectionWith } from './connections.store.ts';

/** Who is connected to the services of the companies that live here, for the front door. */
@Injectable()
export class ServiceConnections {
  constructor(
    @Inject(REGION_DB) private readonly db: Db,
    private readonly home: Home,
  ) {}

  /** While the company moves, nobody can tell. @gap D1-4.5 */
  async connectionOf({ company_user_id, service_id, customer_user_id }: MessageOf<typeof REGION.connectionOf>) {
    await this.home.check(company_user_id).catch(whileItMoves);
    const service = await findService(this.db, { company_user_id, service_id });
    const company = await findProfile(this.db, company_user_id);
    const connection = await findConnectionWith(this.db, service, customer_user_id);
    return { connection_id: connection?.connection_id ?? null, code: `${company!.share_code}/${service.share_code}` };
  }
}

function whileItMoves(error: unknown): never {
  throw error instanceof Refusal && error.key === 'region.rebase_required' ? new Refusal('service.unavailable') : error;
}
