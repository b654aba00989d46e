import { Id, Timestamp } from '../core/text.ts';
import { ChallengeStatus } from './shapes.ts';

/** The event that carries an outcome. @spec D1-6.1 */
export const CHALLENGE_EVENT = '2fa_challenge_completed';

/** The members of each kind beside those that every event has. @spec D1-6.1 */
export const challengeEvents = {
  [CHALLENGE_EVENT]: {
    challenge_id: Id,
    status: ChallengeStatus.extract(['approved', 'denied', 'revoked']),
    completed_at: Timestamp,
  },
};
