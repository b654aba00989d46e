import type { SealedFor } from '../../process-seal.ts';

/** Returns the purpose for which a region seals a password to the front door process that checks it. */
export const passwordSeal = (user_id: string): SealedFor => ({ use: 'cds password check', owner_id: user_id });
