import { Inject, Injectable } from '@nestjs/common';
import type { Verification } from '@codase/contracts';
import { one, type Db } from '@codase/runtime/db';
import { REGION_DB } from '../../kit/databases.ts';
import type { AttestedAnswers } from '../../sharing/verification/index.ts';

/** Finds the verified answers of runs for the services whose runs they are. @spec D2-2.2 */
@Injectable()
export class AttestedRunAnswers implements AttestedAnswers {
  constructor(@Inject(REGION_DB) private readonly db: Db) {}

  async findAttested(
    { service_id, company_user_id }: { service_id: string; company_user_id: string },
    verification_id: string,
  ): Promise<Verification | undefined> {
    const found = await one<{ verification: Verification }>(this.db)`
      select a.verification from flow_run_answer a join flow_run r using (run_id)
       where a.verification->>'verification_id' = ${verification_id}
         and r.service_id = ${service_id} and r.company_user_id = ${company_user_id}
       limit 1`;
    return found?.verification;
  }
}
