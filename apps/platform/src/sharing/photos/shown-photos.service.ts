import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type PHOTO_SUBJECTS } from '@codase/contracts';
import type { MessageOf } from '@codase/runtime/nest-bus';
import type { DataSource } from 'typeorm';
import { findOfCustomer } from '../connections/index.ts';
import type { Handlers } from '../../foundation/peers/index.ts';
import { REGION_DB } from '../../kit/databases.ts';
import { Home } from '../../foundation/regions/index.ts';
import { findService, findServiceByCode, type ServiceRow } from '../../services/services/index.ts';
import { PhotoContents, PhotoReader, type StoredPhoto } from './photos.store.ts';

type Subjects = typeof PHOTO_SUBJECTS;
/** A service by its codes, as anyone may look at it. */
export type ByCode = Omit<MessageOf<Subjects['ofCard']>, 'position'>;
/** A service by a connection of one of its customers. */
export type ByConnection = Omit<MessageOf<Subjects['ofConnection']>, 'position'>;

/** Finds the photos that services show, for customers of this region and of others. The company has to live here. @gap D1-1 */
@Injectable()
export class ShownPhotos implements Handlers<Subjects> {
  constructor(
    @Inject(REGION_DB) private readonly db: DataSource,
    private readonly home: Home,
    private readonly contents: PhotoContents,
    private readonly reader: PhotoReader,
  ) {}

  async find(by: ByCode | ByConnection): Promise<StoredPhoto> {
    const { company_user_id, photo_id } = 'connection_id' in by ? await this.connected(by) : await this.withCode(by);
    const photo = photo_id === null ? undefined : await this.contents.ofCompany(this.db, company_user_id, photo_id);
    if (!photo) throw new Refusal('photos.not_found');
    return photo;
  }

  ofCard({ position, ...by }: MessageOf<Subjects['ofCard']>) {
    return this.piece(by, position);
  }

  ofConnection({ position, ...by }: MessageOf<Subjects['ofConnection']>) {
    return this.piece(by, position);
  }

  private async piece(by: ByCode | ByConnection, position: number) {
    const photo = await this.find(by);
    const { photo_id, content_type, content_sha256, size } = photo;
    return { photo_id, content_type, content_sha256, size, ...(await this.reader.piece(photo, position)) };
  }

  private async withCode({ company_user_id, service_code }: ByCode): Promise<ServiceRow> {
    await this.home.check(company_user_id);
    const service = await findServiceByCode(this.db, company_user_id, service_code);
    if (!service) throw new Refusal('company_connections.service_not_found');
    return service;
  }

  private async connected({ user_id, connection_id }: ByConnection): Promise<ServiceRow> {
    const connection = await findOfCustomer(this.db, user_id, connection_id);
    await this.home.check(connection.company_user_id);
    return findService(this.db, connection);
  }
}
