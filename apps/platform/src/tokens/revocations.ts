import { ACCESS_TOKEN_SECONDS } from '@cds/contracts';
import { z } from 'zod';

/** Sessions and single tokens that ended before their time, by their ids; kept as long as a token of theirs could live. @gap D1-4.1 */
export const REVOCATIONS = { bucket: 'ended_sessions', shape: z.object({}), ttlSeconds: ACCESS_TOKEN_SECONDS };
