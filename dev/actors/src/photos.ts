import { photos, type Output, type Request } from '@codase/contracts';
import { Facet, type Asks } from './stranger.ts';

export type NewPhoto = Request<typeof photos.addPhoto>['body'];
export type OwnPhoto = Output<typeof photos.addPhoto>;

/** What a user does with the photos of their own profile. */
export class Photos extends Facet {
  adds(photo: NewPhoto): Promise<OwnPhoto> {
    return this.actor.asks(photos.addPhoto, { body: photo });
  }

  async lists(): Promise<OwnPhoto[]> {
    return (await this.actor.asks(photos.listPhotos, {})).items;
  }

  reads({ id }: Pick<OwnPhoto, 'id'>): Promise<Output<typeof photos.readPhoto>> {
    return this.actor.asks(photos.readPhoto, { params: { photoId: id } });
  }

  deletes({ id }: Pick<OwnPhoto, 'id'>): Promise<unknown> {
    return this.actor.asks(photos.deletePhoto, { params: { photoId: id } });
  }

  of(service_id: string): ServicePhotos {
    return new ServicePhotos(this.actor, service_id);
  }
}

/** What a company does with the photos of one of its services. */
class ServicePhotos extends Facet {
  constructor(
    company: Asks,
    private readonly service_id: string,
  ) {
    super(company);
  }

  adds(photo: NewPhoto): Promise<OwnPhoto> {
    return this.actor.asks(photos.addServicePhoto, { params: { id: this.service_id }, body: photo });
  }

  async lists(): Promise<OwnPhoto[]> {
    return (await this.actor.asks(photos.listServicePhotos, { params: { id: this.service_id } })).items;
  }

  reads({ id: photoId }: Pick<OwnPhoto, 'id'>): Promise<Output<typeof photos.readServicePhoto>> {
    return this.actor.asks(photos.readServicePhoto, { params: { id: this.service_id, photoId } });
  }

  deletes({ id: photoId }: Pick<OwnPhoto, 'id'>): Promise<unknown> {
    return this.actor.asks(photos.deleteServicePhoto, { params: { id: this.service_id, photoId } });
  }
}
