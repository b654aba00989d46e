import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A capability that has something to do with the rows of a company that has moved to this region. @gap D1-5.6 */
export interface CompanyArrives {
  /** Called in the transaction that opens the company for writes here. Nothing of the company was written since it left the old region. */
  companyArrives(tx: EntityManager, company_user_id: string): Promise<void>;
}
export const COMPANY_ARRIVES = hook<CompanyArrives>('a company arrives');
