import { z } from 'zod';
import { verification } from '../connections/shapes.ts';
import { fails } from '../core/fails.ts';
import { UPLOAD_CHARS } from '../core/limits.ts';
import { named } from '../core/named.ts';
import { Region } from '../core/region.ts';
import { Ciphertext, EncryptedPrivateKey, PublicKey } from '../core/sealed.ts';
import { Id, ShareCode, Slug, Timestamp } from '../core/text.ts';
import { Language } from '../identity/shapes.ts';

/** @spec D1-5.8 @gap D1-5 */
export const Profile = named(
  'Profile',
  z.object({
    user_id: Id,
    display_name: z.string(),
    language: Language,
    share_code: ShareCode,
    public_key: PublicKey,
    /** The region the account is moving to, while it moves. */
    moving_to: Region.nullable(),
  }),
);

/** @gap D1-5.8 */
export const Photo = named('Photo', z.object({ id: Id, content_type: z.string(), size: z.int(), created_at: Timestamp }));

/** A user who may work for the company, and on which services. @spec D1-5.8 @gap D1-5.8 */
export const Delegate = named(
  'Delegate',
  z.object({
    id: Id,
    /** The code by which the company has named the user; null when the delegate was added before codes were kept. */
    share_code: ShareCode.nullable(),
    /** Who it is: null until the user has accepted. */
    user_id: Id.nullable(),
    display_name: z.string().nullable(),
    accepted_at: Timestamp.nullable(),
    public_key: PublicKey,
    /** The services that were granted. `has_key`: the service's passphrase was handed over, sealed to the delegate. */
    services: z.array(z.object({ service_id: Id, has_key: z.boolean(), key_read_at: Timestamp.nullable() })),
    created_at: Timestamp,
  }),
);

/** A company that lets the caller work for it, and on which services. @gap D1-5.8 */
export const Delegation = named(
  'Delegation',
  z.object({
    id: Id,
    company: z.object({ user_id: Id, display_name: z.string(), share_code: ShareCode }),
    services: z.array(z.object({ service_id: Id, name: z.string(), has_key: z.boolean() })),
    accepted_at: Timestamp.nullable(),
    created_at: Timestamp,
  }),
);

/** A service that was granted to the caller. `passphrase` is sealed to the caller, and opens the private key. @gap D1-5.8 */
export const DelegatedService = named(
  'DelegatedService',
  z.object({
    service_id: Id,
    name: z.string(),
    company_user_id: Id,
    public_key: PublicKey,
    key: z.object({ passphrase: Ciphertext, encrypted_private_key: EncryptedPrivateKey }).nullable(),
    granted_at: Timestamp,
  }),
);

/** The copies of a field's new value, one for each live slot that the field answers. @gap D1-6.1 */
export const LiveCopies = z
  .array(z.strictObject({ connection_id: Id, slug: Slug, value: z.string().max(UPLOAD_CHARS, fails('documents.too_large')) }))
  .max(1000);

/** A value of one's own profile: sealed to a person's key unless it is public, in the clear for a company. @gap D1-5.8 */
export const ContactValue = named(
  'ContactValue',
  z.object({
    slug: z.string(),
    value: z.string(),
    is_private: z.boolean(),
    updated_at: Timestamp,
    ...verification,
  }),
);
