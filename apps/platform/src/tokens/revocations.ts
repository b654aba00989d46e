import { ACCESS_TOKEN_SECONDS } from '@cds/contracts';
import { z } from 'zod';

/** Sessions and single tokens that ended before their time, by their ids; kept as long as a token of theirs could live. @gap D1-4.1 */
export const REVOCATIONS = {
  bucket: 'ended_sessions',
  shape: z.object({ before: z.iso.datetime().optional() }),
  ttlSeconds: ACCESS_TOKEN_SECONDS,
};

/** The row that ends every sign-in before a moment, as after a restored backup: nobody knows which of them were ended. */
export const ALL_SESSIONS = 'all_sessions';
