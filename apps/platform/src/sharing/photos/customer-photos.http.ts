import { Controller } from '@nestjs/common';
import { customer as contracts, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { userOf } from '../../access/tokens/index.ts';
import { CustomerPhotos } from './customer-photos.service.ts';

/** The photos of services, for their customers and for those who may become customers. @spec D1-5.8 */
@Controller()
export class CustomerPhotosHttp {
  constructor(private readonly photos: CustomerPhotos) {}

  @Serves(contracts.readShownPhoto)
  readShown({ params }: Input<typeof contracts.readShownPhoto>) {
    return this.photos.ofCard(params.companyCode, params.serviceCode);
  }

  @Serves(contracts.readConnectionPhoto)
  readOfConnection({ params }: Input<typeof contracts.readConnectionPhoto>, caller: Caller<typeof contracts.readConnectionPhoto>) {
    return this.photos.ofConnection({ user_id: userOf(caller), connection_id: params.connectionId });
  }
}
