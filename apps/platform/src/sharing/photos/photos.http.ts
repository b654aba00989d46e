import { Controller } from '@nestjs/common';
import { customer, photos as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { CustomerPhotos } from './customer-photos.service.ts';
import { presentPhoto } from './photo-row.ts';
import { Photos } from './photos.service.ts';

type Own = Caller<typeof contracts.listPhotos>;
type Owner = Caller<typeof contracts.listServicePhotos>;

/** The photos of the caller's own profile and services, and for customers those that services show. @spec D1-5.8 */
@Controller()
export class PhotosHttp {
  constructor(
    private readonly photos: Photos,
    private readonly shown: CustomerPhotos,
  ) {}

  @Serves(contracts.listPhotos)
  async list(_: Input<typeof contracts.listPhotos>, caller: Own) {
    return { items: (await this.photos.list(profileOf(caller))).map(presentPhoto), next_cursor: null };
  }

  @Serves(contracts.addPhoto)
  async add({ body }: Input<typeof contracts.addPhoto>, caller: Own) {
    return presentPhoto(await this.photos.add(profileOf(caller), body));
  }

  @Serves(contracts.readPhoto)
  read({ params }: Input<typeof contracts.readPhoto>, caller: Own) {
    return this.photos.read(profileOf(caller), params.photoId);
  }

  @Serves(contracts.deletePhoto)
  remove({ params }: Input<typeof contracts.deletePhoto>, caller: Own) {
    return this.photos.remove(profileOf(caller), params.photoId);
  }

  @Serves(contracts.listServicePhotos)
  async listOfService({ params }: Input<typeof contracts.listServicePhotos>, caller: Owner) {
    return { items: (await this.photos.list(serviceOf(params, caller))).map(presentPhoto), next_cursor: null };
  }

  @Serves(contracts.addServicePhoto)
  async addToService({ params, body }: Input<typeof contracts.addServicePhoto>, caller: Owner) {
    return presentPhoto(await this.photos.add(serviceOf(params, caller), body));
  }

  @Serves(contracts.readServicePhoto)
  readOfService({ params }: Input<typeof contracts.readServicePhoto>, caller: Owner) {
    return this.photos.read(serviceOf(params, caller), params.photoId);
  }

  @Serves(contracts.deleteServicePhoto)
  removeOfService({ params }: Input<typeof contracts.deleteServicePhoto>, caller: Owner) {
    return this.photos.remove(serviceOf(params, caller), params.photoId);
  }

  @Serves(customer.readShownPhoto)
  readShown({ params }: Input<typeof customer.readShownPhoto>) {
    return this.shown.ofCard(params.companyCode, params.serviceCode);
  }

  @Serves(customer.readConnectionPhoto)
  readOfConnection({ params }: Input<typeof customer.readConnectionPhoto>, caller: Caller<typeof customer.readConnectionPhoto>) {
    return this.shown.ofConnection({ user_id: userOf(caller), connection_id: params.connectionId });
  }
}

const profileOf = (caller: Own) => ({ user_id: userOf(caller), service_id: null });
const serviceOf = ({ id }: { id: string }, { company_user_id }: Owner) => ({ user_id: company_user_id, service_id: id });
