import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';

/** Who has something to do with the rows of a company that has come to this region. @gap D1-5.6 */
export interface CompanyArrives {
  /** In the transaction that opens the company for writes here: nothing of it was written since it left. */
  companyArrives(tx: EntityManager, company_user_id: string): Promise<void>;
}
export const COMPANY_ARRIVES = hook<CompanyArrives>('a company arrives');
