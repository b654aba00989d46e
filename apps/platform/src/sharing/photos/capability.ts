import { PHOTO_SUBJECTS } from '@codase/contracts';
import type { Capability } from '../../kit/capability.ts';
import { CONNECTIONS } from '../connections/index.ts';
import { ABANDONED, FILES, RESTING_FILES } from '../../storage/files/index.ts';
import { contribute, implement } from '../../kit/hooks.ts';
import { Photos1763164800094 } from '../../migrations/region/1763164800094-photos.ts';
import { answeredBy, PEERS } from '../../foundation/peers/index.ts';
import { REGIONS } from '../../foundation/regions/index.ts';
import { OWN_PHOTOS, SERVICES } from '../../services/services/index.ts';
import { TOKENS } from '../../access/tokens/index.ts';
import { CustomerPhotos } from './customer-photos.service.ts';
import { LOG_KINDS, Photos } from './photos.service.ts';
import { METRICS } from './metrics.ts';
import { PhotosHttp } from './photos.http.ts';
import { PhotoContents, PhotoReader } from './photos.store.ts';
import { ShownPhotos } from './shown-photos.service.ts';
import { PhotoEntity, PhotoPieceEntity } from './photo.entity.ts';

/** The photos of profiles and services, in the home region of their user. They move with their company. @spec D1-5.8 */
export const PHOTOS: Capability = {
  name: 'photos',
  uses: [REGIONS, PEERS, TOKENS, FILES, SERVICES, CONNECTIONS],
  tables: {
    region: [
      { entity: PhotoEntity, moves: { owner: 'owner_user_id', key: 'photo_id' } },
      { entity: PhotoPieceEntity, moves: { owner: 'owner_user_id', key: 'piece_id' } },
    ],
  },
  afterRestore: { region: { nothing: 'photos since the copy are lost, and their owners add them again' } },
  migrations: { region: [Photos1763164800094] },
  metrics: METRICS,
  logKinds: LOG_KINDS,
  parts: {
    region: {
      http: [PhotosHttp],
      bus: [answeredBy(PHOTO_SUBJECTS, ShownPhotos)],
      providers: [PhotoContents, PhotoReader, Photos, ShownPhotos, CustomerPhotos],
      implements: [implement(OWN_PHOTOS, Photos)],
      contributes: [contribute(RESTING_FILES, PhotoContents), contribute(ABANDONED, PhotoContents)],
    },
  },
};
