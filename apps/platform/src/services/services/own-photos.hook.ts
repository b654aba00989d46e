import type { EntityManager } from 'typeorm';
import { requirement } from '../../kit/hooks.ts';
import type { OwnService } from './service-row.ts';

/** A capability that knows the photos of companies. */
export interface OwnPhotos {
  /**
   * Whether a service may show a photo: one of its company's profile, or one of its own. The photo cannot be deleted until the transaction
   * ends. Called before the service is locked.
   */
  hold(tx: EntityManager, own: OwnService, photo_id: string): Promise<boolean>;
}
export const OWN_PHOTOS = requirement<OwnPhotos>('photos that services show');
