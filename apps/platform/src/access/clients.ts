import { Region } from '@cds/contracts';
import { z } from 'zod';

/** What every base knows of a client: enough to check a token and to route it, nothing to log in with. @spec D1-2.1 */
export const ClientRow = z.object({
  client_id: z.string(),
  kind: z.enum(['service', 'account']),
  company_user_id: z.string(),
  service_id: z.string().nullable(),
  region: Region,
  /** Raised when the secret is regenerated, which ends every token of an older epoch. */
  epoch: z.int(),
});
export type ClientRow = z.infer<typeof ClientRow>;

/** The client rows as the regions follow them. */
export const CLIENTS = { bucket: 'clients', shape: ClientRow };
