import { RATE_LIMITS } from '../core/limits.ts';

/** @gap D1-8 */
export const CHALLENGE_SECONDS = 300;
/** An outcome nobody collects is kept so long, then it is 404. @gap D1-3.1 */
export const CHALLENGE_OUTCOME_HOURS = 24;
/** Code points. @gap D1-8 */
export const CHALLENGE_CONTEXT_CHARS = 256;
/** Open challenges of one person. @gap D1-8 */
export const PENDING_CHALLENGES = { per_service: 3, per_person: 10 } as const;
/** Challenges for one person by one service. @gap D1-8 */
export const CHALLENGE_RATE = { per_minute: 5, per_hour: 30 } as const;
/** Polls of one challenge. @gap D1-8 */
export const CHALLENGE_POLLS_PER_MINUTE = 60 * RATE_LIMITS.challenge_poll.per_second;
/** How long after its end an open challenge waits for the platform's word, which may come late; then it is expired. @gap D1-3.1 */
export const CHALLENGE_GRACE_SECONDS = 15;
/** The longest that a read on the bus waits for an outcome; whoever waits longer asks again. */
export const READ_WAIT_SECONDS = 20;
/** How long outcomes stay on the stream CHALLENGES. */
export const CHALLENGES_STREAM_DAYS = 7;
