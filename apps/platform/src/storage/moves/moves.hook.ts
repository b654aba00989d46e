import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A capability that works for companies outside of transactions, and ends that work when a company leaves. @gap D1-5.6 */
export interface CompanyLeaves {
  /** Called in the transaction that begins the leaving. From now on the capability begins nothing new for the company. */
  companyLeaves(tx: EntityManager, company_user_id: string): Promise<void>;
  /** Returns whether all work that was begun before has ended and is written down, or the process that began it is dead. */
  isSettled(tx: EntityManager, company_user_id: string): Promise<boolean>;
}
export const COMPANY_LEAVES = hook<CompanyLeaves>('a company leaves');

/** A capability that has something to do with the rows of a company that has moved to this region. @gap D1-5.6 */
export interface CompanyArrives {
  /** Called in the transaction that opens the company for writes here. Nothing of the company was written since it left the old region. */
  companyArrives(tx: EntityManager, company_user_id: string): Promise<void>;
}
export const COMPANY_ARRIVES = hook<CompanyArrives>('a company arrives');
