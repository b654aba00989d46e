import { ACCESS_TOKEN_SECONDS } from '@codase/contracts';
import { z } from 'zod';

/** Sessions and tokens that ended before they expired, by their ids, for as long as an access token lives. @gap D1-4.1 */
export const REVOCATIONS = {
  bucket: 'ended_sessions',
  shape: z.object({ before: z.iso.datetime().optional() }),
  ttlSeconds: ACCESS_TOKEN_SECONDS,
};

/** The key of the row that ends all sign-ins before a moment: after a restore nobody knows which ones had been ended. */
export const ALL_SESSIONS = 'all_sessions';
