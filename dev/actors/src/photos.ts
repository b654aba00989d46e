import { photos, type Output, type Request } from '@codase/contracts';
import type { Stranger } from './stranger.ts';

export type NewPhoto = Request<typeof photos.addPhoto>['body'];
export type OwnPhoto = Output<typeof photos.addPhoto>;

/** What a user does with the photos of their own profile. */
export class Photos {
  private readonly owner: Pick<Stranger, 'asks'>;

  constructor(owner: Pick<Stranger, 'asks'>) {
    this.owner = owner;
  }

  adds(photo: NewPhoto): Promise<OwnPhoto> {
    return this.owner.asks(photos.addPhoto, { body: photo });
  }

  async lists(): Promise<OwnPhoto[]> {
    return (await this.owner.asks(photos.listPhotos, {})).items;
  }

  reads({ id }: Pick<OwnPhoto, 'id'>): Promise<Output<typeof photos.readPhoto>> {
    return this.owner.asks(photos.readPhoto, { params: { photoId: id } });
  }

  deletes({ id }: Pick<OwnPhoto, 'id'>): Promise<unknown> {
    return this.owner.asks(photos.deletePhoto, { params: { photoId: id } });
  }

  /** The photos of one of the company's services. */
  of(service_id: string): ServicePhotos {
    return new ServicePhotos(this.owner, service_id);
  }
}

/** What a company does with the photos of one of its services. */
class ServicePhotos {
  private readonly company: Pick<Stranger, 'asks'>;
  private readonly service_id: string;

  constructor(company: Pick<Stranger, 'asks'>, service_id: string) {
    this.company = company;
    this.service_id = service_id;
  }

  adds(photo: NewPhoto): Promise<OwnPhoto> {
    return this.company.asks(photos.addServicePhoto, { params: { id: this.service_id }, body: photo });
  }

  async lists(): Promise<OwnPhoto[]> {
    return (await this.company.asks(photos.listServicePhotos, { params: { id: this.service_id } })).items;
  }

  reads({ id: photoId }: Pick<OwnPhoto, 'id'>): Promise<Output<typeof photos.readServicePhoto>> {
    return this.company.asks(photos.readServicePhoto, { params: { id: this.service_id, photoId } });
  }

  deletes({ id: photoId }: Pick<OwnPhoto, 'id'>): Promise<unknown> {
    return this.company.asks(photos.deleteServicePhoto, { params: { id: this.service_id, photoId } });
  }
}
