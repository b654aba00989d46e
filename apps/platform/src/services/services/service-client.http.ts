import { Controller } from '@nestjs/common';
import { serviceClient, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { ServiceClients } from './service-clients.service.ts';

type Owner = Caller<typeof serviceClient.readServiceClient>;
type OfService = Input<typeof serviceClient.readServiceClient>;

/** The data client of a service, for its owner. @spec D1-5.1 @gap D1-4.7 */
@Controller()
export class ServiceClientHttp {
  constructor(private readonly clients: ServiceClients) {}

  @Serves(serviceClient.createServiceClient)
  create({ params, body }: Input<typeof serviceClient.createServiceClient>, caller: Owner) {
    return this.clients.create(own(params, caller), body.redirect_uri ?? null);
  }

  @Serves(serviceClient.readServiceClient)
  read({ params }: OfService, caller: Owner) {
    return this.clients.read(own(params, caller));
  }

  @Serves(serviceClient.changeServiceClient)
  change({ params, body }: Input<typeof serviceClient.changeServiceClient>, caller: Owner) {
    return this.clients.change(own(params, caller), body);
  }

  @Serves(serviceClient.deleteServiceClient)
  remove({ params }: OfService, caller: Owner) {
    return this.clients.remove(own(params, caller));
  }

  @Serves(serviceClient.regenerateServiceSecret)
  replaceSecret({ params }: OfService, caller: Owner) {
    return this.clients.replaceSecret(own(params, caller));
  }

  @Serves(serviceClient.rotateServiceSecret)
  rotateSecret({ params, body }: Input<typeof serviceClient.rotateServiceSecret>, caller: Owner) {
    return this.clients.rotateSecret(own(params, caller), body.keep_old_hours);
  }

  @Serves(serviceClient.readServiceClientKeys)
  readKeys({ params }: OfService, caller: Owner) {
    return this.clients.readKeys(own(params, caller));
  }

  @Serves(serviceClient.setServiceClientKeys)
  setKeys({ params, body }: Input<typeof serviceClient.setServiceClientKeys>, caller: Owner) {
    return this.clients.setKeys(own(params, caller), body);
  }

  @Serves(serviceClient.endOldServiceSecret)
  endOldSecret({ params }: OfService, caller: Owner) {
    return this.clients.endOldSecret(own(params, caller));
  }
}

const own = ({ id }: { id: string }, { company_user_id }: Owner) => ({ company_user_id, service_id: id });
