import { z } from 'zod';
import { Done, regionSubject } from '../core/platform-subjects.ts';
import { EncryptedPrivateKey, PublicKey } from '../core/sealed.ts';
import { CustomerType, Id, ShareCode, Timestamp } from '../core/text.ts';
import { Language } from '../identity/shapes.ts';

/** A profile as the front door hands it to the user's home region. */
export const NewProfile = z.strictObject({
  user_id: Id,
  type: CustomerType,
  display_name: z.string(),
  language: Language,
  share_code: ShareCode,
  public_key: PublicKey,
  encrypted_private_key: EncryptedPrivateKey.nullable(),
  created_at: Timestamp,
});
export type NewProfile = z.infer<typeof NewProfile>;

/** Subjects that the front door asks, and a region answers. */
export const profileSubjects = { addProfile: regionSubject('add_profile', NewProfile, Done) } as const;
