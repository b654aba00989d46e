import type { Photo } from '@codase/contracts';
import type { z } from 'zod';
import type { PhotoEntity } from './photo.entity.ts';

/** What photos belong to: the profile of a user, or one of the user's services. */
export interface PhotoOwner {
  user_id: string;
  service_id: string | null;
}

/** A photo without its bytes. */
export type PhotoRow = { [C in 'photo_id' | 'content_type' | 'size' | 'content_sha256' | 'created_at']: NonNullable<PhotoEntity[C]> };

export const presentPhoto = ({ photo_id, content_type, size, created_at }: PhotoRow): z.infer<typeof Photo> => ({
  id: photo_id,
  content_type,
  size,
  created_at: created_at.toISOString(),
});
