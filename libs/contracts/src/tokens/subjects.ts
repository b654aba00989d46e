import { z } from 'zod';
import { frontDoorSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { Id } from '../core/text.ts';

/** Asked of the front door about grants. */
export const tokenSubjects = {
  /** Rotates a refresh token, by the hashes of the old and the new one, for a user at home in the region that asks. */
  rotateRefresh: frontDoorSubject(
    'rotate_refresh',
    z.strictObject({ client_id: z.string(), token_hash: z.string(), next_hash: z.string(), region: Region.optional() }),
    z.object({ user_id: Id, session_id: Id, region: Region }),
  ),
} as const;
