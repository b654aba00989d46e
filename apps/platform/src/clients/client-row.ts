import { Level, Region } from '@cds/contracts';
import { z } from 'zod';

/**
 * What every base knows of a client: enough to check its secret and its tokens, to route it, and what it may call. The two first-party
 * clients belong to no company and live nowhere: their users do. @spec D1-2.1
 */
export const ClientRow = z.object({
  client_id: z.string(),
  kind: z.enum(['service', 'account', 'portal', 'person']),
  company_user_id: z.string().nullable(),
  service_id: z.string().nullable(),
  region: Region.nullable(),
  /** Raised when the secret is regenerated, which ends every token of an older epoch. */
  epoch: z.int(),
  /** Raised when a secret is added or ended, also where tokens go on: by it a restore sees that they have changed since. */
  secret_version: z.int().default(0),
  /**
   * How its secret is checked: nothing for a public client, two while a secret is replaced. The keys are of this client alone.
   * Nothing, too, where only the front door can check it.
   */
  secrets: z.array(z.object({ key: z.string(), hash: z.string(), until: z.string().nullable(), is_current: z.boolean() })).default([]),
  /** What it may call: the patterns it was registered with, until they are backfilled. @spec D1-5.7 @spec D1-9 */
  patterns: z.array(z.string()),
  /** What its company pays for; null for a client that belongs to none. */
  level: Level.nullable().default(null),
  /** An operator disabled it, or its company: it gets no tokens and calls nothing. */
  disabled: z.boolean().default(false),
});
export type ClientRow = z.infer<typeof ClientRow>;

/** The first-party clients have no secret, and so no tokens without a user. @gap D1-8 */
export const isPublic = ({ kind }: Pick<ClientRow, 'kind'>): boolean => kind === 'portal' || kind === 'person';

/** The client rows as the regions follow them. */
export const CLIENTS = { bucket: 'clients', shape: ClientRow };

/** Where a base looks a client up: the front door in its registry, a region in what it follows of it. */
export interface ClientLookup {
  /** The client; a token that was minted with an epoch waits a moment for a row that is still on its way. */
  clientOf(client_id: string, epoch?: number): Promise<ClientRow | undefined>;
}
export const CLIENT_LOOKUP = Symbol('ClientLookup');
