import { z } from 'zod';
import { frontDoorSubject, ofUser, operatorSubject } from '../core/platform-subjects.ts';
import { Region } from '../core/region.ts';
import { Id } from '../core/text.ts';
import { DeviceKey } from './shapes.ts';

/** Subjects about grants, which the front door answers. */
export const tokenSubjects = {
  /**
   * Rotates a refresh token, by the hashes of the old and the new one, for a user at home in the asking region. The new token is derived
   * from the old one and the salt. A salt in the answer is that of an earlier rotation whose answer was lost.
   */
  rotateRefresh: frontDoorSubject(
    'rotate_refresh',
    z.strictObject({
      client_id: z.string(),
      token_hash: z.string(),
      next_hash: z.string(),
      next_salt: z.string().max(64),
      /** The key that the request proved, which must be the one that the session is bound to. */
      bound: z.strictObject({ jkt: z.string().max(64), key: DeviceKey }).optional(),
    }),
    z.object({ user_id: Id, session_id: Id, region: Region, salt: z.string().optional(), jkt: z.string().nullish() }),
  ),
} as const;

const Ended = z.object({ sessions: z.int() });

/** Subjects that only an operator asks, and the front door answers. */
export const tokenOperatorSubjects = {
  /** Ends every session of a user. */
  endSessions: operatorSubject('end_sessions', ofUser, Ended),
  /**
   * Disables an account: it can no longer sign in, and its clients get no tokens and can call nothing. Or enables it again. The data of the
   * account stays.
   */
  setAccountDisabled: operatorSubject('set_account_disabled', ofUser.extend({ disabled: z.boolean() }), Ended),
} as const;
