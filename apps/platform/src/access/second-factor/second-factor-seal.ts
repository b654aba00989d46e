import type { SealedFor } from '../../kit/secrets/process-seal.ts';

/** What a password, a code or both are sealed for by a region: nothing else can be done with them. @gap D1-5.8 */
export type SecondFactorUse = 'begin' | 'confirm' | 'renew' | 'end';

/** Returns the purpose for which a region seals to a process of the front door. */
export const secondFactorSeal = (use: SecondFactorUse, user_id: string): SealedFor => ({
  use: `codase second factor ${use}`,
  owner_id: user_id,
});

/** Returns the purpose for which the front door seals an answer to the key of one request. */
export const secondFactorReply = (user_id: string): SealedFor => ({ use: 'codase second factor reply', owner_id: user_id });
