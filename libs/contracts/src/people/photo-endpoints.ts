import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { PhotoEnvelope, RawFile } from '../core/file.ts';
import { PHOTO_CHARS } from '../core/limits.ts';
import { Nothing, whole } from '../core/page.ts';
import { ofService, serviceId } from '../core/params.ts';
import { AUTHENTICATED, WRITES } from '../core/refusals.ts';
import { idOr } from '../core/text.ts';
import { PHOTOS_EACH } from './limits.ts';
import { Photo } from './shapes.ts';

/** The largest body with a photo: its bytes as a data URI, and the members around it. */
const PHOTO_BODY_BYTES = PHOTO_CHARS + 4096;

const photoId = idOr('photos.not_found').describe('The id of a photo, from the list of them');
const OWN = { tag: 'profile', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal', 'person'] } as const;
const ofPhoto = z.object({ photoId });

export const listPhotos = endpoint({
  ...OWN,
  name: 'list_photos',
  method: 'GET',
  path: '/api/photos',
  summary: "The photos of one's own profile",
  description: "The photos of the caller's own profile, without their bytes.",
  status: 200,
  result: whole(Photo),
  refusals: AUTHENTICATED,
});

export const addPhoto = endpoint({
  ...OWN,
  name: 'add_photo',
  method: 'POST',
  path: '/api/photos',
  summary: "Add a photo to one's own profile",
  description:
    `Adds a photo, sent as a data URI; there are at most ${PHOTOS_EACH}. Only raster images are taken, and the bytes are looked at, not ` +
    'the name. What says where, when and how it was taken is left out, so `size` is that of the stored photo. Photos are not sealed.',
  body: PhotoEnvelope,
  largest: PHOTO_BODY_BYTES,
  status: 201,
  result: Photo,
  refusals: [...WRITES, 'request.invalid', 'photos.type_unsupported', 'photos.too_many'],
});

export const readPhoto = endpoint({
  ...OWN,
  name: 'read_photo',
  method: 'GET',
  path: '/api/photos/{photoId}',
  summary: 'A photo',
  description: "The bytes of one of the caller's photos, with their content type.",
  params: ofPhoto,
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'photos.not_found'],
});

export const deletePhoto = endpoint({
  ...OWN,
  name: 'delete_photo',
  method: 'DELETE',
  path: '/api/photos/{photoId}',
  summary: 'Delete a photo',
  description: 'Deletes a photo. Services that showed it show it no more.',
  params: ofPhoto,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'photos.not_found'],
});

const OF_SERVICE = { tag: 'services', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal'] } as const;
const ofServicePhoto = z.object({ id: serviceId, photoId });

export const listServicePhotos = endpoint({
  ...OF_SERVICE,
  name: 'list_service_photos',
  method: 'GET',
  path: '/api/services/{id}/photos',
  summary: 'The photos the service can show',
  description: 'The photos that belong to a service, without their bytes.',
  params: ofService,
  status: 200,
  result: whole(Photo),
  refusals: [...AUTHENTICATED, 'services.not_found'],
});

export const addServicePhoto = endpoint({
  ...OF_SERVICE,
  name: 'add_service_photo',
  method: 'POST',
  path: '/api/services/{id}/photos',
  summary: 'Add a photo to the service',
  description:
    `Adds a photo to a service, sent as a data URI; a service has at most ${PHOTOS_EACH}. Only raster images are taken, and stored ` +
    'without their metadata. Customers see the photo that the share configuration names.',
  params: ofService,
  body: PhotoEnvelope,
  largest: PHOTO_BODY_BYTES,
  status: 201,
  result: Photo,
  refusals: [...WRITES, 'request.invalid', 'services.not_found', 'photos.type_unsupported', 'photos.too_many'],
});

export const readServicePhoto = endpoint({
  ...OF_SERVICE,
  name: 'read_service_photo',
  method: 'GET',
  path: '/api/services/{id}/photos/{photoId}',
  summary: 'A photo of the service',
  description: 'The bytes of a photo of the service, with their content type.',
  params: ofServicePhoto,
  status: 200,
  result: RawFile,
  produces: 'bytes',
  refusals: [...AUTHENTICATED, 'services.not_found', 'photos.not_found'],
});

export const deleteServicePhoto = endpoint({
  ...OF_SERVICE,
  name: 'delete_service_photo',
  method: 'DELETE',
  path: '/api/services/{id}/photos/{photoId}',
  summary: 'Delete a photo of the service',
  description: 'Deletes a photo of the service, which shows it no more.',
  params: ofServicePhoto,
  status: 204,
  result: Nothing,
  refusals: [...WRITES, 'services.not_found', 'photos.not_found'],
});
