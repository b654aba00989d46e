import { ACCESS_TOKEN_SECONDS } from '@codase/contracts';
import { z } from 'zod';

/**
 * Sessions and single tokens that ended before they expired, by their ids. A row is kept as long as an access token could live. @gap D1-4.1
 */
export const REVOCATIONS = {
  bucket: 'ended_sessions',
  shape: z.object({ before: z.iso.datetime().optional() }),
  ttlSeconds: ACCESS_TOKEN_SECONDS,
};

/**
 * The key of the row that ends every sign-in before a moment, as after a restored backup, when nobody knows which sign-ins had been ended.
 */
export const ALL_SESSIONS = 'all_sessions';
