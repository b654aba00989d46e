import type { RecoveryAct } from '@codase/contracts';
import type { SealedFor } from '../../../kit/secrets/process-seal.ts';

/** Returns the purpose for which a region seals a password to the front door process that checks it. */
export const passwordSeal = (user_id: string): SealedFor => ({ use: 'codase password check', owner_id: user_id });

/** Returns the purpose for which a region seals a code of the second factor that goes with a password. @gap D1-5.8 */
export const codeSeal = (user_id: string): SealedFor => ({ use: 'codase second factor code', owner_id: user_id });

/**
 * Returns the purpose for which a region seals a password together with the one that replaces it, and with a code if there is one. None can
 * be exchanged on the bus, and a password that was sealed to be checked changes nothing. @gap D1-5.8
 */
export const passwordChangeSeal = (user_id: string): SealedFor => ({ use: 'codase password change', owner_id: user_id });

/** Returns the purpose for which a region seals a password to change the e-mail address to this one alone. @gap D1-5.8 */
export const emailChangeSeal = (user_id: string, email: string): SealedFor => ({
  use: 'codase email change',
  owner_id: `${user_id} ${email}`,
});

/** Returns the purpose for which a region seals a password to recover this copy, or to reset the recovery key. @gap D1-5.1 */
export const recoverySeal = (user_id: string, act: RecoveryAct, object: string): SealedFor => ({
  use: `codase recovery ${act}`,
  owner_id: `${user_id} ${object}`,
});
