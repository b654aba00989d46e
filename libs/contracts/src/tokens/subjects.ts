import { z } from 'zod';
import { frontDoorSubject, ofUser, operatorSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { Id } from '../core/text.ts';

/** Asked of the front door about grants. */
export const tokenSubjects = {
  /**
   * Rotates a refresh token, by the hashes of the old and the new one, for a user at home in the region that asks. The new one is derived
   * from the old one and the salt; a salt in the answer is that of an earlier rotation, whose answer was lost.
   */
  rotateRefresh: frontDoorSubject(
    'rotate_refresh',
    z.strictObject({
      client_id: z.string(),
      token_hash: z.string(),
      next_hash: z.string(),
      next_salt: z.string().max(64),
    }),
    z.object({ user_id: Id, session_id: Id, region: Region, salt: z.string().optional() }),
  ),
} as const;

const Ended = z.object({ sessions: z.int() });

/** Asked of the front door by an operator alone. */
export const tokenOperatorSubjects = {
  /** Ends every session of a user. */
  endSessions: operatorSubject('end_sessions', ofUser, Ended),
  /** Lets an account sign in no more, nor its clients get tokens or call anything; or again. What is its own stays. */
  setAccountDisabled: operatorSubject('set_account_disabled', ofUser.extend({ disabled: z.boolean() }), Ended),
} as const;
