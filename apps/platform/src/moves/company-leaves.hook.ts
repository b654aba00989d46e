import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';

/** Who has to do with a company that leaves this region, and works outside of transactions. @gap D1-5.6 */
export interface CompanyLeaves {
  /** In the transaction that begins it: nothing new of the company is begun from now on. */
  companyLeaves(tx: EntityManager, company_user_id: string): Promise<void>;
  /** Whether what was begun before has ended and is written down, or whoever began it is dead. */
  isSettled(tx: EntityManager, company_user_id: string): Promise<boolean>;
}
export const COMPANY_LEAVES = hook<CompanyLeaves>('a company leaves');
