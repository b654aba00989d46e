import { Controller } from '@nestjs/common';
import { companyData, type Caller, type Input } from '@codase/contracts';
import { Serves } from '@codase/runtime/http';

@Controller()
export class WhoamiHttp {
  /** The token alone says which service calls; no service id is ever sent. @spec D1-4.2 @spec D1-5.2 */
  @Serves(companyData.whoami)
  whoami(_: Input<typeof companyData.whoami>, { company_user_id, service_id }: Caller<typeof companyData.whoami>) {
    return { company_user_id, service_id };
  }
}
