import { Controller } from '@nestjs/common';
import { companyData, services, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';
import { RequestFields } from './request-fields.service.ts';

type Owner = Caller<typeof services.readOwnRequestFields>;

/** The request of a service, for its owner and for its data client. @spec D1-4.7 */
@Controller()
export class RequestFieldsHttp {
  constructor(private readonly requestFields: RequestFields) {}

  @Serves(services.readOwnRequestFields)
  read({ params }: Input<typeof services.readOwnRequestFields>, { company_user_id }: Owner) {
    return this.requestFields.read({ company_user_id, service_id: params.id });
  }

  @Serves(services.publishRequestFields)
  publish({ params, body }: Input<typeof services.publishRequestFields>, { company_user_id }: Owner) {
    return this.requestFields.publish({ company_user_id, service_id: params.id }, body);
  }

  /** Answers without the audience of the rows, which concerns the owner alone: the contract has no such member. @spec D1-2.6 */
  @Serves(companyData.readRequestFields)
  readAsClient(_: Input<typeof companyData.readRequestFields>, caller: Caller<typeof companyData.readRequestFields>) {
    return this.requestFields.read(caller);
  }
}
