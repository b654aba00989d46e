import type { Photo } from '@codase/contracts';
import type { z } from 'zod';

/** What photos belong to: the profile of a user, or one of the user's services. */
export interface PhotoOwner {
  user_id: string;
  service_id: string | null;
}

/** A photo without its bytes. */
export interface PhotoRow {
  photo_id: string;
  content_type: string;
  /** The number of its bytes. */
  size: number;
  /** The SHA-256 of its bytes. */
  content_sha256: string;
  created_at: Date;
}

export const presentPhoto = ({ photo_id, content_type, size, created_at }: PhotoRow): z.infer<typeof Photo> => ({
  id: photo_id,
  content_type,
  size,
  created_at: created_at.toISOString(),
});
