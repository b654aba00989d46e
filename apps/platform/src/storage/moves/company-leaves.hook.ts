import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/**
 * A capability that works for companies outside of transactions, and has to end that work when a company leaves this region. @gap D1-5.6
 */
export interface CompanyLeaves {
  /** Called in the transaction that begins the leaving. From now on the capability begins nothing new for the company. */
  companyLeaves(tx: EntityManager, company_user_id: string): Promise<void>;
  /** Returns whether all work that was begun before has ended and is written down, or the process that began it is dead. */
  isSettled(tx: EntityManager, company_user_id: string): Promise<boolean>;
}
export const COMPANY_LEAVES = hook<CompanyLeaves>('a company leaves');
