import { RATE_LIMITS } from '../core/limits.ts';

/** @gap D1-8 */
export const CHALLENGE_SECONDS = 300;
/** For how many hours an outcome is kept that nobody collects. After that it is answered with 404. @gap D1-3.1 */
export const CHALLENGE_OUTCOME_HOURS = 24;
/** The longest context, in code points. @gap D1-8 */
export const CHALLENGE_CONTEXT_CHARS = 256;
/** The most open challenges of one person. @gap D1-8 */
export const PENDING_CHALLENGES = { per_service: 3, per_person: 10 } as const;
/** How many challenges one service may raise for one person. @gap D1-8 */
export const CHALLENGE_RATE = { per_minute: 5, per_hour: 30 } as const;
/** How many polls of one challenge are allowed. @gap D1-8 */
export const CHALLENGE_POLLS_PER_MINUTE = 60 * RATE_LIMITS.challenge_poll.per_second;
/** How long after its end an open challenge waits for the platform's answer, which may come late. After that it is expired. @gap D1-3.1 */
export const CHALLENGE_GRACE_SECONDS = 15;
/** How long a read on the bus waits for an outcome at most. A caller that waits longer asks again. */
export const READ_WAIT_SECONDS = 20;
/** How long outcomes stay on the stream CHALLENGES. */
export const CHALLENGES_STREAM_DAYS = 7;
