import { z } from 'zod';
import { endpoint } from '../core/endpoint.ts';
import { PhotoEnvelope, RawFile } from '../core/file.ts';
import { PHOTO_CHARS } from '../core/limits.ts';
import { whole } from '../core/page.ts';
import { ofService, serviceId } from '../core/params.ts';
import { idOr } from '../core/text.ts';
import { PHOTO_PIXELS, PHOTOS_EACH } from './limits.ts';
import { Photo } from './shapes.ts';

/** The largest body with a photo: its bytes as a data URI, and the members around it. */
const PHOTO_BODY_BYTES = PHOTO_CHARS + 4096;

const photoId = idOr('photos.not_found').describe('The id of a photo, from the list of them');
const OWN = { tag: 'profile', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal', 'person'] } as const;
const ofPhoto = z.object({ photoId });

export const listPhotos = endpoint('list_photos', 'GET /api/photos', {
  ...OWN,
  summary: "The photos of one's own profile",
  description: "The photos of the caller's own profile, without their bytes.",
  result: whole(Photo),
});

export const addPhoto = endpoint('add_photo', 'POST /api/photos', {
  ...OWN,
  summary: "Add a photo to one's own profile",
  description:
    `Adds a photo, sent as a data URI; there are at most ${PHOTOS_EACH}. Only raster images are taken, and the bytes are looked at, not ` +
    'the name. What says where, when and how it was taken is left out, so `size` is that of the stored photo. ' +
    `A photo has at most ${PHOTO_PIXELS.side} pixels on a side, and ${PHOTO_PIXELS.all} in all. Photos are not sealed.`,
  body: PhotoEnvelope,
  largest: PHOTO_BODY_BYTES,
  status: 201,
  result: Photo,
  refusals: ['request.invalid', 'photos.type_unsupported', 'photos.too_many'],
});

export const readPhoto = endpoint('read_photo', 'GET /api/photos/{photoId}', {
  ...OWN,
  summary: 'A photo',
  description: "The bytes of one of the caller's photos, with their content type.",
  params: ofPhoto,
  result: RawFile,
  produces: 'bytes',
  refusals: ['photos.not_found'],
});

export const deletePhoto = endpoint('delete_photo', 'DELETE /api/photos/{photoId}', {
  ...OWN,
  summary: 'Delete a photo',
  description: 'Deletes a photo. Services that showed it show it no more.',
  params: ofPhoto,
  refusals: ['photos.not_found'],
});

const OF_SERVICE = { tag: 'services', at: ['region'], spec: 'D1-5.8', callers: ['account', 'portal'] } as const;
const ofServicePhoto = z.object({ id: serviceId, photoId });

export const listServicePhotos = endpoint('list_service_photos', 'GET /api/services/{id}/photos', {
  ...OF_SERVICE,
  summary: 'The photos the service can show',
  description: 'The photos that belong to a service, without their bytes.',
  params: ofService,
  result: whole(Photo),
  refusals: ['services.not_found'],
});

export const addServicePhoto = endpoint('add_service_photo', 'POST /api/services/{id}/photos', {
  ...OF_SERVICE,
  summary: 'Add a photo to the service',
  description:
    `Adds a photo to a service, sent as a data URI; a service has at most ${PHOTOS_EACH}. Only raster images are taken, and stored ` +
    'without their metadata. Customers see the photo that the share configuration names.',
  params: ofService,
  body: PhotoEnvelope,
  largest: PHOTO_BODY_BYTES,
  status: 201,
  result: Photo,
  refusals: ['request.invalid', 'services.not_found', 'photos.type_unsupported', 'photos.too_many'],
});

export const readServicePhoto = endpoint('read_service_photo', 'GET /api/services/{id}/photos/{photoId}', {
  ...OF_SERVICE,
  summary: 'A photo of the service',
  description: 'The bytes of a photo of the service, with their content type.',
  params: ofServicePhoto,
  result: RawFile,
  produces: 'bytes',
  refusals: ['services.not_found', 'photos.not_found'],
});

export const deleteServicePhoto = endpoint('delete_service_photo', 'DELETE /api/services/{id}/photos/{photoId}', {
  ...OF_SERVICE,
  summary: 'Delete a photo of the service',
  description: 'Deletes a photo of the service, which shows it no more.',
  params: ofServicePhoto,
  refusals: ['services.not_found', 'photos.not_found'],
});
