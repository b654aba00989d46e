import { ClientKey, Level, Region } from '@codase/contracts';
import { z } from 'zod';

/**
 * What every base knows of a client: enough to check its secret and its tokens, to route it, and to know what it may call. The two
 * first-party clients belong to no company and have no home region, but their users do. @spec D1-2.1
 */
export const ClientRow = z.object({
  client_id: z.string(),
  kind: z.enum(['service', 'account', 'app', 'portal', 'person']),
  company_user_id: z.string().nullable(),
  service_id: z.string().nullable(),
  region: Region.nullable(),
  /** Raised when the secret is regenerated, which ends every token of an older epoch. */
  epoch: z.int(),
  /** Raised when a secret is added or ended, even when tokens stay valid. After a restore it shows that the secrets have changed since. */
  secret_version: z.int().default(0),
  /**
   * How its secrets are checked: none for a public client, two while a secret is being replaced. The keys belong to this client alone. The
   * list is also empty when only the front door can check the secret.
   */
  secrets: z.array(z.object({ key: z.string(), hash: z.string(), until: z.string().nullable(), is_current: z.boolean() })).default([]),
  /** The public keys with which it may sign in. @gap D1-5.2 */
  keys: z.array(ClientKey).default([]),
  /** Whether its secret is refused, because its company wants it to sign in with a key. */
  requires_key: z.boolean().default(false),
  /** What it may call: the patterns it was registered with, until they are backfilled. @spec D1-5.7 @spec D1-9 */
  patterns: z.array(z.string()),
  /** The level of its company; null for a client that belongs to no company. */
  level: Level.nullable().default(null),
  /** Whether an operator has disabled the client or its company: then it gets no tokens and may call nothing. */
  disabled: z.boolean().default(false),
  /** Whether its company demands that its tokens are bound to a key (RFC 9449, 5.2). */
  dpop_bound_access_tokens: z.boolean().default(false),
});
export type ClientRow = z.infer<typeof ClientRow>;

/** The first-party clients have no secret, and so no tokens without a user. @gap D1-8 */
export const isPublic = ({ kind }: Pick<ClientRow, 'kind'>): boolean => kind === 'portal' || kind === 'person';

/** The client rows that regions keep replicas of. */
export const CLIENTS = { bucket: 'clients', shape: ClientRow };

/** Looks clients up: the front door in its registry, a region in its replica of it. */
export interface ClientLookup {
  /** Returns the client. With the epoch of a token, it waits a moment for a row of that epoch that is still on its way. */
  clientOf(client_id: string, epoch?: number): Promise<ClientRow | undefined>;
}
export const CLIENT_LOOKUP = Symbol('ClientLookup');
