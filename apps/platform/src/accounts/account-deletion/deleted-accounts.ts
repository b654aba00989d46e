import { z } from 'zod';

/** The ids of deleted accounts: after the restore of an older copy of the front door they are deleted again. @gap D1-5.8 */
export const DELETED_ACCOUNTS = { bucket: 'deleted_accounts', shape: z.object({ user_id: z.string() }) };
