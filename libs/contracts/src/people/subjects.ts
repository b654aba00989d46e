import { z } from 'zod';
import { peerRead } from '../core/peer-subjects.ts';
import { Done, regionSubject } from '../core/platform-subjects.ts';
import { EncryptedPrivateKey, PublicKey } from '../core/sealed.ts';
import { idempotent, LongText, withBytes } from '../core/subjects.ts';
import { CustomerType, Id, Sha256, ShareCode, Timestamp } from '../core/text.ts';
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

/** A piece of a photo, counted from 1, and how many pieces there are; null when there is none. */
const PhotoPiece = z.object({
  piece: LongText.nullable(),
  pieces: z.int(),
  photo_id: Id,
  content_type: z.string(),
  content_sha256: Sha256,
  size: z.int(),
});
const ofPiece = z.strictObject({ position: z.int().min(1) });

/**
 * Subjects that the home region of a customer asks of the region of a company, about the photo that a service shows. Photos are stored
 * nowhere else. @gap D1-1
 */
export const PHOTO_SUBJECTS = {
  /** For anyone who knows the codes, as on the card of the service. */
  ofCard: idempotent(
    withBytes(
      peerRead(
        'card_photo_piece',
        { speaksFor: { nobody: 'anyone who knows the codes may see the photo' } },
        ofPiece.extend({ company_user_id: Id, service_code: z.string() }),
        PhotoPiece,
      ),
      'piece',
    ),
  ),
  ofConnection: idempotent(
    withBytes(
      peerRead('connection_photo_piece', { speaksFor: 'user_id' }, ofPiece.extend({ user_id: Id, connection_id: Id }), PhotoPiece),
      'piece',
    ),
  ),
} as const;
