import { ConfigFault, isProduction } from '@codase/runtime/config';
import type { FrontDoorConfig } from '../../../kit/config.ts';
import { costOf, MIN_HASH_COST, type HashCost } from './password.ts';

/** The token of the cost at which new passwords are hashed. */
export const HASH_COST = Symbol('the cost of hashing a password');

/** Returns the configured cost. Refuses one below `MIN_HASH_COST` in production; tests use it, since they sign up hundreds. */
export function configuredHashCost({ PASSWORD_HASH_COST, ...config }: Pick<FrontDoorConfig, 'PASSWORD_HASH_COST' | 'NODE_ENV'>): HashCost {
  if (PASSWORD_HASH_COST < MIN_HASH_COST && isProduction(config))
    throw new ConfigFault([
      `PASSWORD_HASH_COST: less than ${MIN_HASH_COST} is for tests; in production passwords are hashed at ${MIN_HASH_COST} to 20`,
    ]);
  return costOf(PASSWORD_HASH_COST);
}
