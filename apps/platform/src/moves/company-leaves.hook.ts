import type { EntityManager } from 'typeorm';
import { hook } from '../hooks.ts';

/**
 * Who must know, in the transaction that begins it, that a company leaves this region and nothing more of it is written here. @gap D1-5.6
 */
export interface CompanyLeaves {
  companyLeaves(tx: EntityManager, company_user_id: string): Promise<void>;
}
export const COMPANY_LEAVES = hook<CompanyLeaves>('a company leaves');
