import { Inject, Injectable } from '@nestjs/common';
import { PHOTOS_EACH, Refusal, type Input, type photos as contracts, type RawFile } from '@codase/contracts';
import { CLOCK, type Clock } from '@codase/runtime/clock';
import type { Db } from '@codase/runtime/db';
import type { StreamedAnswer } from '@codase/runtime/http';
import { count } from '@codase/runtime/telemetry';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { PayloadUpload, servedBytes, type UploadedPayload } from '../../storage/files/index.ts';
import { newId } from '../../kit/ids.ts';
import { Home } from '../../foundation/regions/index.ts';
import { findService, hidePhoto, holdService, writeLog, type OwnPhotos, type OwnService } from '../../services/services/index.ts';
import { METRICS } from './metrics.ts';
import { dataUriOf, imageOf, type Image } from './photo-content.ts';
import type { PhotoOwner, PhotoRow } from './photo-row.ts';
import {
  addUpload,
  countPhotos,
  listPhotos,
  lockPhotos,
  mayShow,
  PhotoContents,
  PhotoReader,
  removePhoto,
  takeUpload,
  type StoredPhoto,
} from './photos.store.ts';
import { logKinds } from '../../kit/log-kinds.ts';

/** The kinds of log entries for the photos of a service. @gap D1-4.7 */
export const LOG_KINDS = logKinds('photo_added', 'photo_deleted');

type NewPhoto = Input<typeof contracts.addPhoto>['body'];

/** Keeps the photos of profiles and services. They are not sealed: they are there to be shown. @spec D1-5.8 @gap D1-5.8 */
@Injectable()
export class Photos implements OwnPhotos {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly contents: PhotoContents,
    private readonly reader: PhotoReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(owner: PhotoOwner): Promise<PhotoRow[]> {
    await findOwner(this.db, owner);
    return listPhotos(this.db, owner);
  }

  async read(owner: PhotoOwner, photo_id: string): Promise<StreamedAnswer<RawFile>> {
    await findOwner(this.db, owner);
    return this.serve(await this.contents.ofOwner(this.db, owner, photo_id));
  }

  /** Serves a photo that was looked up. Its type is that of its bytes, never one that a sender declared. */
  async serve(photo: StoredPhoto | undefined): Promise<StreamedAnswer<RawFile>> {
    if (!photo) throw new Refusal('photos.not_found');
    return servedBytes(photo, await this.reader.read(photo), photo.size);
  }

  /**
   * Adds a photo. Its bytes are stored first, under a key that is written with the photo: what a process that died has left can be read by
   * nobody, and is deleted after an hour. The image is looked through when there is a place for it, since that takes time.
   */
  async add(owner: PhotoOwner, envelope: NewPhoto): Promise<PhotoRow> {
    await findOwner(this.db, owner);
    await checkCapacity(this.db, owner);
    const image = imageOf(envelope);
    const uploaded = await this.upload(owner, image);
    try {
      const photo = await this.home.write(owner.user_id, (tx) => this.take(tx, owner, image, uploaded));
      count(METRICS.added);
      return photo;
    } catch (error) {
      // The caller gets this error. An upload that cannot be deleted now is deleted after an hour.
      await this.contents.removeWaiting(this.db, uploaded.owner_id).catch(() => undefined);
      throw error;
    }
  }

  /** Deletes a photo. A service that shows it shows none from then on. */
  async remove(owner: PhotoOwner, photo_id: string): Promise<void> {
    const { user_id } = owner;
    await this.home.write(user_id, async (tx) => {
      await lockPhotos(tx, user_id);
      await findOwner(tx, owner);
      await hidePhoto(tx, user_id, photo_id, this.clock.now());
      if (!(await removePhoto(tx, owner, photo_id))) throw new Refusal('photos.not_found');
      await this.log(tx, owner, { kind: LOG_KINDS.photo_deleted, message: 'A photo of the service was deleted' });
    });
    count(METRICS.deleted);
  }

  async hold(tx: EntityManager, { company_user_id, service_id }: OwnService, photo_id: string): Promise<boolean> {
    await lockPhotos(tx, company_user_id);
    return mayShow(tx, { user_id: company_user_id, service_id }, photo_id);
  }

  private upload({ user_id }: PhotoOwner, image: Image): Promise<UploadedPayload> {
    const [file, now] = [{ owner_id: newId('pho'), company_user_id: user_id }, this.clock.now()];
    return new PayloadUpload(this.db, this.home, this.contents, { file, addRow: (tx) => addUpload(tx, file, now) }).store(dataUriOf(image));
  }

  private async take(tx: EntityManager, owner: PhotoOwner, image: Image, uploaded: UploadedPayload): Promise<PhotoRow> {
    await lockPhotos(tx, owner.user_id);
    if (owner.service_id !== null) await holdService(tx, serviceOf(owner, owner.service_id));
    await checkCapacity(tx, owner);
    const { content_type, bytes } = image;
    const photo = await takeUpload(tx, owner, uploaded, { content_type, size: bytes.length, created_at: this.clock.now() });
    if (!photo) throw new Refusal('service.unavailable');
    await this.log(tx, owner, { kind: LOG_KINDS.photo_added, message: 'A photo was added to the service' });
    return photo;
  }

  private async log(tx: EntityManager, owner: PhotoOwner, logged: Parameters<typeof writeLog>[2]): Promise<void> {
    if (owner.service_id !== null) await writeLog(tx, serviceOf(owner, owner.service_id), logged, this.clock.now());
  }
}

const serviceOf = ({ user_id }: PhotoOwner, service_id: string): OwnService => ({ company_user_id: user_id, service_id });

/** Refuses a service that the user does not have. @gap D1-4.6 */
async function findOwner(db: Db, owner: PhotoOwner): Promise<void> {
  if (owner.service_id !== null) await findService(db, serviceOf(owner, owner.service_id));
}

async function checkCapacity(db: Db, owner: PhotoOwner): Promise<void> {
  if ((await countPhotos(db, owner)) < PHOTOS_EACH) return;
  throw new Refusal('photos.too_many').because(
    `There are ${PHOTOS_EACH} photos, as many as a profile or service may have: delete one that nobody needs`,
  );
}
