import { z } from 'zod';

/**
 * The ids of deleted accounts. After the database of the front door was restored from an older copy, these accounts are deleted again.
 * @gap D1-5.8
 */
export const DELETED_ACCOUNTS = { bucket: 'deleted_accounts', shape: z.object({ user_id: z.string() }) };
