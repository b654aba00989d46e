import { Inject, Injectable } from '@nestjs/common';
import { hasRow, many, one, sql, type Db } from '@codase/runtime/db';
import type { DataSource, EntityManager } from 'typeorm';
import { REGION_DB } from '../../kit/databases.ts';
import { Files, PayloadReader, Pieces, type Resting, type RestingFile, type UploadedPayload } from '../../storage/files/index.ts';
import type { PhotoOwner, PhotoRow } from './photo-row.ts';
import { PhotoEntity } from './photo.entity.ts';

/** How long a photo waits for the request that uploads it: longer than a request may take. */
const KEPT_MS = 60 * 60 * 1000;

export type StoredPhoto = PhotoRow & Resting;

/** The bytes of photos. Each is stored before the transaction that adds the photo. */
@Injectable()
export class PhotoContents extends Pieces {
  constructor() {
    super({
      owner_kind: 'photo',
      rows: 'photo',
      key: 'photo_id',
      pieces: 'photo_piece',
      user: 'owner_user_id',
      isWaiting: 'content_type is null',
      keptMs: KEPT_MS,
      hasKey: true,
    });
  }

  /** Finds a photo of an owner, and where its bytes are stored. */
  ofOwner(db: Db, { user_id, service_id }: PhotoOwner, photo_id: string): Promise<StoredPhoto | undefined> {
    return this.photo(
      db,
      sql`
      f.photo_id = ${photo_id} and f.owner_user_id = ${user_id} and f.service_id is not distinct from ${service_id}::text
         and f.content_type is not null`,
    );
  }

  /** Finds a photo of a company, of its profile or of any of its services. */
  ofCompany(db: Db, company_user_id: string, photo_id: string): Promise<StoredPhoto | undefined> {
    return this.photo(db, sql`f.photo_id = ${photo_id} and f.owner_user_id = ${company_user_id} and f.content_type is not null`);
  }

  private photo(db: Db, where: ReturnType<typeof sql>): Promise<StoredPhoto | undefined> {
    return this.find<PhotoRow>(db, ['photo_id', 'content_type', 'size', 'content_sha256', 'created_at'], where);
  }
}

/** Reads the bytes of photos of users who are at home in this region. */
@Injectable()
export class PhotoReader extends PayloadReader {
  constructor(@Inject(REGION_DB) db: DataSource, files: Files, contents: PhotoContents) {
    super(db, files, contents);
  }
}

/** The class of the advisory locks by which the photos of one user change one after the other: "phot". */
const PHOTOS_LOCK = 0x70686f74;

/** Lets the user's photos change one after the other, until the transaction ends. The lock is taken before services are locked. */
export const lockPhotos = (tx: EntityManager, user_id: string) =>
  one(tx)`select pg_advisory_xact_lock(${PHOTOS_LOCK}, hashtext(${user_id}))`;

/** Lists the photos of an owner, the oldest first. */
export const listPhotos = (db: Db, { user_id, service_id }: PhotoOwner): Promise<PhotoRow[]> =>
  many<PhotoRow>(db)`
    select photo_id, content_type, size, content_sha256, created_at from photo
     where owner_user_id = ${user_id} and service_id is not distinct from ${service_id}::text and content_type is not null
     order by created_at, photo_id`;

export const countPhotos = async (db: Db, { user_id, service_id }: PhotoOwner): Promise<number> =>
  (await one<{ count: number }>(db)`
    select count(*)::int as count from photo
     where owner_user_id = ${user_id} and service_id is not distinct from ${service_id}::text and content_type is not null`)!.count;

/** Whether a service may show the photo: one of its company's profile, or one of its own. */
export const mayShow = (db: Db, { user_id, service_id }: PhotoOwner, photo_id: string): Promise<boolean> =>
  hasRow(db)`
    select from photo
     where photo_id = ${photo_id} and owner_user_id = ${user_id} and (service_id is null or service_id = ${service_id})
       and content_type is not null`;

/** Adds a photo that waits for its bytes, and belongs to no profile or service yet. */
export const addUpload = (tx: EntityManager, { owner_id, company_user_id }: RestingFile, now: Date) =>
  tx.getRepository(PhotoEntity).insert({ photo_id: owner_id, owner_user_id: company_user_id, created_at: now });

/** Gives an uploaded photo to its owner. Returns undefined when the upload does not exist any more. */
export const takeUpload = (
  tx: EntityManager,
  { user_id, service_id }: PhotoOwner,
  { owner_id, content_sha256, piece_key }: UploadedPayload,
  { content_type, size, created_at }: Pick<PhotoRow, 'content_type' | 'size' | 'created_at'>,
): Promise<PhotoRow | undefined> =>
  one<PhotoRow>(tx)`
    update photo
       set service_id = ${service_id}, content_type = ${content_type}, size = ${size}, content_sha256 = ${content_sha256},
           piece_key = ${piece_key}, created_at = ${created_at}
     where photo_id = ${owner_id} and owner_user_id = ${user_id} and content_type is null
    returning photo_id, content_type, size, content_sha256, created_at`;

/** Deletes a photo with its bytes. Returns false when the owner does not have it. */
export const removePhoto = (tx: EntityManager, { user_id, service_id }: PhotoOwner, photo_id: string): Promise<boolean> =>
  hasRow(tx)`
    delete from photo
     where photo_id = ${photo_id} and owner_user_id = ${user_id} and service_id is not distinct from ${service_id}::text
       and content_type is not null
    returning 1`;
