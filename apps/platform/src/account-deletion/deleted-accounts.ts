import { z } from 'zod';

/** Accounts that were deleted, by their ids: after an older database of the front door came back they are deleted again. @gap D1-5.8 */
export const DELETED_ACCOUNTS = { bucket: 'deleted_accounts', shape: z.object({ user_id: z.string() }) };
