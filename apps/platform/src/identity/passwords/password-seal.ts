import type { SealedFor } from '../../process-seal.ts';

/** A password on its way from a region to the process of the front door that checks it. */
export const passwordSeal = (user_id: string): SealedFor => ({ use: 'cds password check', owner_id: user_id });
