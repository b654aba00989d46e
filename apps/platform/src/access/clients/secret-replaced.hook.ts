import type { EntityManager } from 'typeorm';
import { hook } from '../../kit/hooks.ts';

/** A provider that ends what a client began with its old secret, in the transaction that replaces the secret. @spec D1-5.1 */
export interface SecretReplaced {
  secretReplaced(tx: EntityManager, client_id: string, now: Date): Promise<void>;
}
export const SECRET_REPLACED = hook<SecretReplaced>('a secret was replaced');
