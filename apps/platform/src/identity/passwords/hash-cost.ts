import { ConfigFault } from '@cds/runtime/config';
import type { FrontDoorConfig } from '../../config.ts';
import { costOf, LEAST_HASH_COST, type HashCost } from './password.ts';

/** What the hash of a new password costs. */
export const HASH_COST = Symbol('the cost of hashing a password');

/** Tests sign up hundreds of people whose password everybody knows; nobody else may hash for less. */
export function configuredHashCost({ PASSWORD_HASH_COST, NODE_ENV }: Pick<FrontDoorConfig, 'PASSWORD_HASH_COST' | 'NODE_ENV'>): HashCost {
  if (PASSWORD_HASH_COST < LEAST_HASH_COST && NODE_ENV === 'production')
    throw new ConfigFault([
      `PASSWORD_HASH_COST: less than ${LEAST_HASH_COST} is for tests; in production passwords are hashed at ${LEAST_HASH_COST} to 20`,
    ]);
  return costOf(PASSWORD_HASH_COST);
}
